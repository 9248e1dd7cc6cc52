import { expect, test } from "bun:test";
import { newId } from "@countersign/store/new-id";
import { isConflict } from "@countersign/store/postgres/errors";
import { addPortalCode } from "@countersign/store/queries/portal/codes";
import {
  lockedPortalPerson,
  personWith,
  removeUnknownIdentities,
} from "@countersign/store/queries/portal/people";
import type { Database, Store } from "@countersign/store/store";
import { sql } from "kysely";
import { lockWaits } from "../../../../tests/support/lock-waits.ts";
import { addPortalPerson } from "../../../../tests/support/portal-rows.ts";
import { onDatabase } from "../../../../tests/support/query-tests.ts";
import { until } from "../../../../tests/support/until.ts";
import { AccountLimits } from "../../limits/account-limits.ts";
import { withAdditionCode, withSignInCode } from "./codes.ts";
import { addIdentity } from "./identities.ts";
import { PortalSecrets } from "./secrets.ts";

const secrets = new PortalSecrets("for this test");
const challenge = "the browser";
const code = "123456";

onDatabase("postgres", "concurrent changes in the portal", (fixture) => {
  /** Transactions that PostgreSQL rolled back, because two waited for each other. The store repeats them. */
  let deadlocks = 0;
  /** The store, except that deadlocks are counted. */
  const counting = {
    get reads() {
      return fixture.reads;
    },
    transaction: <T>(work: (db: Database) => Promise<T>) =>
      fixture.store.transaction(async (db) => {
        await withoutLimits(db);
        return work(db).catch((error) => {
          if (isConflict(error)) deadlocks += 1;
          throw error;
        });
      }),
  } as unknown as Store;

  const person = async () => {
    const email = `${newId()}@example.com`;
    return { email, ...(await addPortalPerson(fixture.store, { emails: [email] })) };
  };
  type PersonWithEmail = Awaited<ReturnType<typeof person>>;
  /** A code for the email address: for the person to add it, or for its owner to sign in. */
  const addCode = async (email: string, personId: string | null) => {
    const [id, nowMs] = [newId(), Date.now()];
    const row = {
      id,
      email,
      email_hash: secrets.emailHash(email),
      person_id: personId,
      code_hash: secrets.codeHash(id, code),
      link_hash: newId(),
      challenge_hash: secrets.challengeHash(challenge),
      created_at: nowMs,
      expires_at: nowMs + 600_000,
    };
    await fixture.write((db) => addPortalCode(db, row));
  };
  const adding =
    ({ personId, sessionId }: PersonWithEmail, email: string) =>
    async () => {
      const actor = { kind: "customer", personId, sessionId, emails: [], discordIds: [] } as const;
      const attempt = { email, code, personId, nowMs: Date.now() };
      const added = await withAdditionCode({ store: counting, secrets }, attempt, async (db) => {
        const context = { actor, organization: null, nowMs: attempt.nowMs, ip: null, requestId: newId() };
        const identity = { kind: "email", value: email, name: null } as const;
        await addIdentity(db, { ...context, store: fixture.store }, actor, identity);
        return true;
      });
      if (added === null) throw new Error("The code is gone.");
    };

  /**
   * Runs the works at the same moment: each waits for people who are locked until all wait. Expects no deadlock. Returns how they ended.
   */
  const atTheSameMoment = async (people: PersonWithEmail[], works: (() => Promise<unknown>)[]) => {
    deadlocks = 0;
    const running = await fixture.write(async (db) => {
      await withoutLimits(db);
      for (const { personId } of people) await lockedPortalPerson(db, personId);
      const started = works.map((work) => work());
      for (const work of started) work.catch(() => {});
      await until("all wait for a lock", async () => (await lockWaits(fixture.reads)) === works.length);
      return { all: Promise.allSettled(started) };
    });
    const ends = await running.all;
    expect(deadlocks).toBe(0);
    return ends.map(({ status }) => status).sort();
  };

  test("two people who add each other's email address do not wait for each other", async () => {
    const [a, b] = [await person(), await person()];
    await addCode(b.email, a.personId);
    await addCode(a.email, b.personId);
    const ends = await atTheSameMoment([a, b], [adding(a, b.email), adding(b, a.email)]);
    expect(ends).toEqual(["fulfilled", "rejected"]);
  });

  test("a person who signs in does not wait for one who adds their email address and waits for them", async () => {
    const [a, b] = [await person(), await person()];
    const { email } = b;
    await addCode(email, a.personId);
    await addCode(email, null);
    const nowMs = Date.now();
    const limits = new AccountLimits(fixture.store, () => nowMs);
    const parts = { store: counting, secrets, limits, countUnknownBrowser: () => {}, portalUrl: "" };
    const signingIn = () =>
      withSignInCode(parts, { email, code, challenge, ip: null, nowMs }, (db) =>
        personWith(db, { kind: "email", value: email, name: null }, newId, nowMs),
      );
    await atTheSameMoment([a, b], [adding(a, email), signingIn]);
  });

  test("the removal of a customer does not wait for a person who adds the email address and waits for it", async () => {
    const [a, b] = [await person(), await person()];
    await addCode(b.email, a.personId);
    const removed = [{ email: b.email, discord_id: null }];
    const removal = () => counting.transaction((db) => removeUnknownIdentities(db, removed));
    await atTheSameMoment([a, b], [adding(a, b.email), removal]);
  });
});

/** However busy the machine is, locks are held and waited for until all wait. */
async function withoutLimits(db: Database): Promise<void> {
  await sql`set local lock_timeout = 0`.execute(db);
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(db);
}
