import { expect, test } from "bun:test";
import { onBothDatabases, several } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { transferRow } from "../../../../tests/support/transfer-row.ts";
import type { PortalSessionRow } from "../../tables/portal.ts";
import { customerFor } from "../customers/identify.ts";
import * as transfers from "../transfers/transfers.ts";
import * as codes from "./codes.ts";
import * as knownEmailQueries from "./codes.ts";
import * as people from "./people.ts";
import * as unknownIdentities from "./people.ts";
import * as sessions from "./people.ts";

const nowMs = Date.UTC(2030, 0, 1);
const newEmail = () => `${newId()}@example.com`;
const emailOf = (value: string) => ({ kind: "email", value, name: null }) as const;
const discordOf = (value: string, name: string | null = null) => ({ kind: "discord", value, name }) as const;

onBothDatabases("people of the portal", (fixture) => {
  const { read, write } = fixture.queries({
    ...codes,
    ...knownEmailQueries,
    ...people,
    ...unknownIdentities,
    ...sessions,
    ...transfers,
  });
  const personWith = (proven: people.ProvenIdentity) => write.personWith(proven, newId, nowMs);
  const someone = () => personWith(emailOf(newEmail()));
  const give = (personId: string, proven: people.ProvenIdentity, atMs = nowMs) =>
    write.giveIdentity(personId, proven, newId, atMs);
  const exists = async (personId: string) => (await read.portalPerson(personId)) !== undefined;
  const valuesOf = async (personId: string) =>
    (await read.portalIdentitiesOf(personId)).map(({ value }) => value);
  const addSession = async (personId: string, changes: Partial<PortalSessionRow> = {}) => {
    const row: PortalSessionRow = {
      id: newId(),
      person_id: personId,
      token_hash: newId(),
      signed_in_by: "email",
      ip: null,
      user_agent: null,
      created_at: nowMs,
      last_used_at: nowMs,
      expires_at: nowMs + 1,
      ...changes,
    };
    await write.addPortalSession(row);
    return row;
  };
  const sessionsOf = async (personId: string) =>
    (await read.portalSessionsOf(personId, nowMs)).map(({ id }) => id);

  test("an identity that is proven for the first time gets a new person, and later the same person", async () => {
    const email = newEmail();
    const first = await personWith(emailOf(email));
    const person = { id: first, locale: null, created_at: nowMs, updated_at: nowMs };
    expect(await read.portalPerson(first)).toEqual(person);
    expect(await personWith(emailOf(email))).toBe(first);
    // An email address and a Discord ID are never the same, whatever they contain.
    expect(await personWith(discordOf(email))).not.toBe(first);
  });

  test("first sign-ins at the same moment create one person", async () => {
    const email = newEmail();
    const ids = await Promise.all([1, 2, 3].map(() => personWith(emailOf(email))));
    expect(new Set(ids).size).toBe(1);
  });

  test("the name on Discord is the one of the last sign-in", async () => {
    const discordId = newId();
    const personId = await personWith(discordOf(discordId, "grace"));
    await personWith(discordOf(discordId, "hopper"));
    expect(await read.portalIdentitiesOf(personId)).toMatchObject([{ name: "hopper" }]);
  });

  test("a person gets the identities they prove, once, in that order, and keeps the ID of those they had", async () => {
    const [email, second] = [newEmail(), newId()];
    const personId = await personWith(emailOf(email));
    await someone();
    await give(personId, discordOf(second, "ada"), nowMs + 1);
    const before = await read.identityRow(discordOf(second));
    await give(personId, discordOf(second, "ada"), nowMs + 1);
    expect(await read.identityRow(discordOf(second))).toEqual(before);
    expect(await read.portalIdentitiesOf(personId)).toMatchObject([emailOf(email), discordOf(second, "ada")]);
    expect(await read.countIdentities(personId)).toBe(2);
  });

  test("an identity that another person has moves with a new ID, and a person left without any is removed", async () => {
    const [own, moved, kept] = [newEmail(), newEmail(), newEmail()];
    const [first, second] = [await personWith(emailOf(own)), await personWith(emailOf(moved))];
    const before = await read.identityRow(emailOf(moved));
    await give(second, emailOf(kept));
    await give(first, emailOf(moved));
    const after = await read.identityRow(emailOf(moved));
    expect(after).toMatchObject({ person_id: first });
    // The former owner knows the old one.
    expect(after?.id).not.toBe(String(before?.id));
    expect([await exists(second), await valuesOf(second)]).toEqual([true, [kept]]);
    await give(first, emailOf(kept));
    await write.removeIfUnidentified([first, second]);
    expect([await exists(first), await exists(second)]).toEqual([true, false]);
  });

  test("an identity is removed by its person only, once", async () => {
    const email = newEmail();
    const [personId, other] = [await personWith(emailOf(email)), await someone()];
    const id = String((await read.identityRow(emailOf(email)))?.id);
    const remove = (by: string) => write.removeIdentity(by, id);
    const removed = [await remove(other), await remove(personId), await remove(personId)];
    expect(removed).toEqual([false, true, false]);
  });

  test("the chosen language is stored, and can be left to the browser again", async () => {
    const [personId, other] = [await someone(), await someone()];
    for (const locale of ["es", null] as const) {
      await write.setPortalLocale(personId, locale, nowMs + 1);
      expect(await read.portalPerson(personId)).toMatchObject({ locale, updated_at: nowMs + 1 });
    }
    expect(await read.portalPerson(other)).toMatchObject({ updated_at: nowMs });
  });

  test("locking people changes nothing, whether they exist or not", async () => {
    const email = newEmail();
    const personId = await personWith(emailOf(email));
    const before = await read.portalPerson(personId);
    await fixture.write(async (db) => {
      expect(await people.lockedPortalPerson(db, personId)).toEqual(before);
      expect(await people.lockedPortalPerson(db, newId())).toBeUndefined();
      await people.lockPortalPeople(db, [personId, newId(), personId]);
      for (const one of [email, newEmail()]) await people.lockOwner(db, emailOf(one));
      await people.lockForAddition(db, newId(), emailOf(email));
    });
    expect(await read.portalPerson(personId)).toEqual(before);
  });

  /** Someone with a row in each table of the portal, and a transfer that they requested. */
  async function everythingOf(email: string) {
    const personId = await personWith(emailOf(email));
    const { organizationId, productId } = await fixture.organization();
    const of = { organization_id: organizationId, product_id: productId };
    const transfer = transferRow({ ...of, requested_by: personId });
    const hashes = { code_hash: newId(), link_hash: newId(), challenge_hash: newId(), email_hash: newId() };
    const times = { created_at: nowMs, expires_at: nowMs };
    await addSession(personId);
    await write.addPortalCode({ id: newId(), person_id: personId, email, ...hashes, ...times });
    await write.addTransfer(transfer);
    return { personId, transferId: transfer.id };
  }
  const rowsOf = async (personId: string) => {
    const counts: number[] = [];
    for (const table of ["portal_sessions", "portal_codes", "portal_identities"] as const)
      counts.push((await fixture.rows(table, { person_id: personId })).length);
    return counts;
  };

  test("a person is removed with everything that is only theirs, and their transfers stay without them", async () => {
    const [one, other] = [await everythingOf(newEmail()), await everythingOf(newEmail())];
    await write.removePortalPerson(one.personId);
    expect([await exists(one.personId), await rowsOf(one.personId)]).toEqual([false, [0, 0, 0]]);
    const left = { state: "pending", requested_by: null };
    expect(await read.transferById(one.transferId)).toMatchObject(left);
    expect([await exists(other.personId), await rowsOf(other.personId)]).toEqual([true, [1, 1, 1]]);
    expect((await read.transferById(other.transferId))?.requested_by).toBe(other.personId);
  });

  test("people without a proven identity are removed, and others and unknown ones are not", async () => {
    const email = newEmail();
    const [without, withOne] = [await personWith(emailOf(email)), await someone()];
    await write.removeIdentity(without, String((await read.identityRow(emailOf(email)))?.id));
    await write.removeIfUnidentified([without, withOne, newId(), without]);
    expect([await exists(without), await exists(withOne)]).toEqual([false, true]);
  });

  test("identities without a customer are removed, with people who are left without an identity", async () => {
    const { organizationId } = await fixture.organization();
    const [alone, shared, second, discordId] = [newEmail(), newEmail(), newEmail(), newId()];
    const gone = await personWith(emailOf(alone));
    const byDiscord = await personWith(discordOf(discordId));
    // Someone else's customer too, with another identity that only the removed customer had.
    const known = await personWith(emailOf(shared));
    await give(known, emailOf(second));
    await fixture.customer(organizationId, { email: shared });
    await write.removeUnknownIdentities([
      ...[alone, shared, second, newEmail()].map((email) => ({ email, discord_id: null })),
      { email: null, discord_id: discordId },
    ]);
    expect([await exists(gone), await exists(byDiscord)]).toEqual([false, false]);
    expect(await valuesOf(known)).toEqual([shared]);
  });

  test("an email address is known if it is a customer's or a person has proven it", async () => {
    const { organizationId } = await fixture.organization();
    const [of, proven] = [newEmail(), newEmail()];
    await fixture.customer(organizationId, { email: of });
    const personId = await personWith(emailOf(proven));
    const known = (email: string) => read.knownEmail(email);
    expect(await known(of)).toEqual({
      isKnown: true,
      personId: null,
      chosenLanguage: null,
      sellerLanguage: "en",
    });
    expect(await known(proven)).toEqual({
      isKnown: true,
      personId,
      chosenLanguage: null,
      sellerLanguage: null,
    });
    expect(await known(newEmail())).toEqual({
      isKnown: false,
      personId: null,
      chosenLanguage: null,
      sellerLanguage: null,
    });
    await fixture.change("organizations", organizationId, { deleted_at: 1 });
    expect((await known(of)).isKnown).toBe(false);
  });

  test("an email is in the language the person chose, else in that of the seller who recorded the customer last", async () => {
    const email = newEmail();
    for (const [at, locale] of (["es", "de"] as const).entries()) {
      const { organizationId } = await fixture.organization();
      await fixture.change("organizations", organizationId, { locale });
      const who = { email, discordId: null, name: null };
      await fixture.write((db) => customerFor(db, organizationId, who, newId, nowMs + at));
    }
    const language = async () => {
      const { chosenLanguage, sellerLanguage } = await read.knownEmail(email);
      return chosenLanguage ?? sellerLanguage;
    };
    expect(await language()).toBe("de");
    const personId = await personWith(emailOf(email));
    expect(await language()).toBe("de");
    await write.setPortalLocale(personId, "en", nowMs);
    expect(await language()).toBe("en");
  });

  test("a person's sessions are listed newest first, without expired ones and those of others", async () => {
    const [personId, other] = [await someone(), await someone()];
    const older = await addSession(personId, { created_at: nowMs - 1 });
    const newer = await addSession(personId);
    await addSession(personId, { expires_at: nowMs });
    await addSession(other);
    expect(await sessionsOf(personId)).toEqual([newer.id, older.id]);
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
    await write.limitPortalSessions(personId);
    expect(await sessionsOf(personId)).toContain(oldest.id);
    await addSession(personId);
    await write.limitPortalSessions(personId);
    expect(await sessionsOf(personId)).toHaveLength(sessions.maxPortalSessions);
    expect(await sessionsOf(personId)).not.toContain(oldest.id);
    expect(await sessionsOf(other)).toEqual([others.id]);
  });

  test("a session is ended by its person only, once; all of them end together", async () => {
    const [personId, other] = [await someone(), await someone()];
    const [one, two, three] = await several(3, () => addSession(personId));
    const others = await addSession(other);
    const end = (by: string) => write.endPortalSession(by, one.id);
    expect([await end(other), await end(personId), await end(personId)]).toEqual([false, true, false]);
    expect(await sessionsOf(personId)).toEqual([three.id, two.id]);
    await write.endPortalSessions(personId);
    expect([await sessionsOf(personId), await sessionsOf(other)]).toEqual([[], [others.id]]);
  });
});
