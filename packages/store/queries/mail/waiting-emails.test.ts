import { expect, test } from "bun:test";
import { emailRow, waitingEmailRow } from "../../../../tests/support/emails.ts";
import { idsOf, onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { times } from "../../suite/calls.ts";
import type { WaitingEmailRow } from "../../tables/platform.ts";
import * as outbox from "./outbox.ts";
import * as waiting from "./waiting-emails.ts";

onBothDatabases("emails that wait for another day", (fixture) => {
  const { read, write } = fixture.queries({ ...outbox, ...waiting });
  const add = async (organization_id: string, ...rows: Partial<WaitingEmailRow>[]): Promise<string[]> => {
    const added = rows.map((settings) => waitingEmailRow({ organization_id, ...settings }));
    await write.addWaitingEmails(added);
    return idsOf(added);
  };
  const waitingOf = async (organizationId: string, limit = 10) =>
    idsOf(await read.waitingEmails(organizationId, limit));

  test("the waiting emails of an organization are read oldest first, up to the limit", async () => {
    const [organizationId, other] = [newId(), newId()];
    const ids = await add(organizationId, {}, {}, {});
    await add(other, {});
    expect(await waitingOf(organizationId)).toEqual(ids);
    expect(await waitingOf(organizationId, 2)).toEqual(ids.slice(0, 2));
  });

  test("an email waits once, however often it is added, and any number can be added at once", async () => {
    const [organizationId, key] = [newId(), newId()];
    await add(organizationId, { dedupe_key: key }, { dedupe_key: key });
    await add(organizationId, { dedupe_key: key });
    expect(await waitingOf(organizationId)).toHaveLength(1);
    await add(organizationId, ...times(501, () => ({})));
    expect(await waitingOf(organizationId, 1_000)).toHaveLength(502);
  });

  test("emails are known if they wait or are in the outbox", async () => {
    const [waits, written, neither] = [newId(), newId(), newId()];
    await add(newId(), { dedupe_key: waits });
    await write.addEmails([emailRow({ dedupe_key: written })]);
    const keys = [...times(600, () => newId()), waits, written, neither];
    expect(await read.knownEmails(keys)).toEqual(new Set([waits, written]));
  });

  test("organizations with waiting emails are found in the order of their IDs, each once", async () => {
    const ids = times(3, () => newId()).sort();
    for (const id of ids.toReversed()) await add(id, {}, {});
    for (const at of [0, 1])
      expect(await read.nextWaitingOrganization(ids[at] ?? "")).toEqual([ids[at + 1] ?? ""]);
    expect(await read.nextWaitingOrganization("g")).toEqual([]);
  });

  test("waiting emails are removed by ID or by key, and no others", async () => {
    const [organizationId, key] = [newId(), newId()];
    const ids = await add(organizationId, {}, {}, { dedupe_key: key }, {});
    await write.removeWaitingEmails(ids.slice(0, 2));
    await write.removeWaitingEmails([]);
    await write.removeWaitingEmail(key);
    expect(await waitingOf(organizationId)).toEqual(ids.slice(3));
  });
});
