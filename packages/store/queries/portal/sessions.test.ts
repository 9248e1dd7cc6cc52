import { expect, test } from "bun:test";
import { onBothDatabases, several } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import type { PortalSessionRow } from "../../tables.ts";
import * as people from "./people.ts";
import * as sessions from "./sessions.ts";

const nowMs = Date.UTC(2030, 0, 1);

onBothDatabases("sessions of the portal", (fixture) => {
  const { read, write } = fixture.queries({ ...people, ...sessions });
  const someone = (value = `${newId()}@example.com`) =>
    write.personWith({ kind: "email", value, name: null }, newId, nowMs);
  const addSession = async (personId: string, changes: Partial<PortalSessionRow> = {}) => {
    const row: PortalSessionRow = {
      ...{ id: newId(), person_id: personId, token_hash: newId(), signed_in_by: "email", ip: null },
      ...{ user_agent: null, created_at: nowMs, last_used_at: nowMs, expires_at: nowMs + 1, ...changes },
    };
    await write.addPortalSession(row);
    return row;
  };
  const idsOf = async (personId: string) =>
    (await read.portalSessionsOf(personId, nowMs)).map(({ id }) => id);

  test("a person's sessions are listed newest first, without expired ones and those of others", async () => {
    const [personId, other] = [await someone(), await someone()];
    const older = await addSession(personId, { created_at: nowMs - 1 });
    const newer = await addSession(personId);
    await addSession(personId, { expires_at: nowMs });
    await addSession(other);
    expect(await idsOf(personId)).toEqual([newer.id, older.id]);
  });

  test("a session is found by the hash of its token and by its ID, and remembers when it was used", async () => {
    const row = await addSession(await someone());
    await write.touchPortalSession(row.id, nowMs + 60_000);
    const expected = { ...row, last_used_at: nowMs + 60_000 };
    expect(await read.portalSessionByHash(row.token_hash)).toEqual(expected);
    expect(await read.portalSessionById(row.id)).toEqual(expected);
    expect(await read.portalSessionByHash(newId())).toBeUndefined();
    expect(await read.portalSessionById(newId())).toBeUndefined();
  });

  test("a person has at most 100 sessions: the oldest ends, and nobody else's", async () => {
    const [personId, other] = [await someone(), await someone()];
    const oldest = await addSession(personId, { created_at: nowMs - 1 });
    const others = await addSession(other, { created_at: 1 });
    for (let count = 0; count < 99; count++) await addSession(personId);
    const limit = () => write.limitPortalSessions(personId);
    await limit();
    expect(await idsOf(personId)).toContain(oldest.id);
    await addSession(personId);
    await limit();
    expect(await idsOf(personId)).toHaveLength(sessions.mostPortalSessions);
    expect(await idsOf(personId)).not.toContain(oldest.id);
    expect(await idsOf(other)).toEqual([others.id]);
  });

  test("a session is ended by its person only, once; all of them end together", async () => {
    const [personId, other] = [await someone(), await someone()];
    const [one, two, three] = await several(3, () => addSession(personId));
    const others = await addSession(other);
    const end = (by: string) => write.endPortalSession(by, one.id);
    expect([await end(other), await end(personId), await end(personId)]).toEqual([false, true, false]);
    expect(await idsOf(personId)).toEqual([three.id, two.id]);
    await write.endPortalSessions(personId);
    expect([await idsOf(personId), await idsOf(other)]).toEqual([[], [others.id]]);
  });

  test("what a person has proven is listed in the order in which they proved it", async () => {
    const [first, second] = [`${newId()}@example.com`, newId()];
    const personId = await someone(first);
    await someone();
    const discord = { kind: "discord", value: second, name: "ada" } as const;
    await write.giveIdentity(personId, discord, newId, nowMs + 1);
    expect(await read.portalIdentitiesOf(personId)).toMatchObject([
      { kind: "email", value: first, name: null },
      { kind: "discord", value: second, name: "ada" },
    ]);
  });
});
