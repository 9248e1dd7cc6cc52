import { expect, test } from "bun:test";
import { removeState } from "@countersign/store/queries/admin/platform-state";
import { addWaitingEmails } from "@countersign/store/queries/mail/waiting-emails";
import { createOrganization } from "@countersign/store/queries/organizations/organizations";
import { addTransfer } from "@countersign/store/queries/transfers/transfers";
import type { Store } from "@countersign/store/store";
import { waitingEmailRow } from "../../../tests/support/emails.ts";
import { onDatabase, several } from "../../../tests/support/query-tests.ts";
import { newId } from "../../../tests/support/test-organization.ts";
import { transferRow } from "../../../tests/support/transfer-row.ts";
import { readConfig } from "../base/config.ts";
import { expiryCheck } from "../features/events/expiry-check.ts";
import { watchedUntil } from "../features/events/record-changes.ts";
import { waitingEmailsJob } from "../features/mail/waiting-emails.ts";
import { transferReminders } from "../features/transfers/remind.ts";

/** On SQLite, everything else waits for the statements between two turns of the event loop. */
const mostStatements = 12;

/** A store that counts the statements that its readers run in one turn of the event loop. */
function countingStore(store: Store) {
  let [inTurn, most] = [0, 0];
  const counting = (reads: Store["reads"]) =>
    reads.withPlugin({
      transformQuery: ({ node }) => {
        inTurn += 1;
        most = Math.max(most, inTurn);
        return node;
      },
      transformResult: async ({ result }) => result,
    });
  const counted = { reads: counting(store.reads), listReads: counting(store.listReads) };
  return {
    store: new Proxy(store, {
      get: (target, name) => {
        const value = name in counted ? counted[name as keyof typeof counted] : Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    }),
    /** The most statements in one turn of the event loop during some work. */
    during: async (work: () => Promise<void>): Promise<number> => {
      most = 0;
      let isOver = false;
      const turn = () => {
        inTurn = 0;
        if (!isOver) setImmediate(turn);
      };
      turn();
      await work();
      isOver = true;
      return most;
    },
  };
}

onDatabase("sqlite", "jobs about many organizations", (fixture) => {
  const nowMs = Date.UTC(2031, 0, 1);
  const clock = async () => nowMs;
  const config = readConfig({ COUNTERSIGN_DAILY_EMAILS: "0" });

  test("the check of expiries lets requests go first between some hundred organizations", async () => {
    await fixture.write(async (db) => {
      for (let number = 0; number < 3_000; number++) {
        const id = newId();
        await createOrganization(db, { id, name: "Many", slug: id, plan: "free" }, nowMs);
      }
    });
    await fixture.write((db) => removeState(db, watchedUntil));
    const { store, during } = countingStore(fixture.store);
    const check = expiryCheck(store, config, clock);
    expect(await during(() => check.run())).toBeLessThanOrEqual(mostStatements);
  });

  test("waiting emails let requests go first between organizations", async () => {
    const organizations = await several(30, () => fixture.organization());
    const rows = organizations.map(({ organizationId: organization_id }) =>
      waitingEmailRow({ organization_id }),
    );
    await fixture.write((db) => addWaitingEmails(db, rows));
    const { store, during } = countingStore(fixture.store);
    const emails = waitingEmailsJob(store, config, clock);
    expect(await during(() => emails.run())).toBeLessThanOrEqual(mostStatements);
  });

  test("transfer reminders let requests go first between organizations", async () => {
    const organizations = await several(30, () => fixture.organization());
    for (const { organizationId: organization_id, productId: product_id } of organizations)
      await fixture.write((db) =>
        addTransfer(
          db,
          transferRow({ organization_id, product_id, license_id: newId(), requested_at: nowMs }),
        ),
      );
    const { store, during } = countingStore(fixture.store);
    const reminders = transferReminders(store, "https://example.com", clock);
    expect(await during(() => reminders.run())).toBeLessThanOrEqual(mostStatements);
  });
});
