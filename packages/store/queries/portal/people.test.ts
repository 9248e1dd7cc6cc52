import { expect, test } from "bun:test";
import { onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { transferRow } from "../../../../tests/support/transfer-row.ts";
import { customerFor } from "../customers/identify.ts";
import * as transfers from "../transfers/transfers.ts";
import { addTransfer } from "../transfers/transfers.ts";
import { addPortalCode } from "./codes.ts";
import * as knownEmailQueries from "./known-email.ts";
import * as people from "./people.ts";
import * as sessions from "./sessions.ts";
import { addPortalSession } from "./sessions.ts";
import * as unknownIdentities from "./unknown-identities.ts";

const nowMs = Date.UTC(2030, 0, 1);
const newEmail = () => `${newId()}@example.com`;
const emailOf = (value: string) => ({ kind: "email", value, name: null }) as const;
const discordOf = (value: string, name: string | null = null) => ({ kind: "discord", value, name }) as const;

onBothDatabases("people of the portal", (fixture) => {
  const { read, write } = fixture.queries({
    ...knownEmailQueries,
    ...people,
    ...unknownIdentities,
    ...sessions,
    ...transfers,
  });
  const personWith = (proven: people.ProvenIdentity) => write.personWith(proven, newId, nowMs);
  const give = (personId: string, proven: people.ProvenIdentity) =>
    write.giveIdentity(personId, proven, newId, nowMs);
  const exists = async (personId: string) => (await read.portalPerson(personId)) !== undefined;
  const valuesOf = async (personId: string) =>
    (await read.portalIdentitiesOf(personId)).map(({ value }) => value);

  test("whoever proves something for the first time is a new person, and the same person ever after", async () => {
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

  test("a person gets what they prove, once, and keeps the ID of what they had", async () => {
    const [email, second] = [newEmail(), newEmail()];
    const personId = await personWith(emailOf(email));
    await give(personId, emailOf(second));
    const before = await read.identityRow(emailOf(second));
    await give(personId, emailOf(second));
    expect(await read.identityRow(emailOf(second))).toEqual(before);
    expect((await valuesOf(personId)).sort()).toEqual([email, second].sort());
    expect(await read.countIdentities(personId)).toBe(2);
  });

  test("an identity that another person has moves with a new ID, and a person left without any is gone", async () => {
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
    expect(await exists(second)).toBe(false);
  });

  test("an identity is removed by its person only, once", async () => {
    const email = newEmail();
    const [personId, other] = [await personWith(emailOf(email)), await personWith(emailOf(newEmail()))];
    const id = String((await read.identityRow(emailOf(email)))?.id);
    const remove = (by: string) => write.removeIdentity(by, id);
    const removed = [await remove(other), await remove(personId), await remove(personId)];
    expect(removed).toEqual([false, true, false]);
  });

  test("the chosen language is stored, and left to the browser again", async () => {
    const personId = await personWith(emailOf(newEmail()));
    const other = await personWith(emailOf(newEmail()));
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
      await people.lockOwner(db, emailOf(email));
      await people.lockOwner(db, emailOf(newEmail()));
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
    const theirs = () => ({ id: newId(), person_id: personId, created_at: nowMs, expires_at: nowMs });
    const browser = { signed_in_by: "email", ip: null, user_agent: null, last_used_at: nowMs } as const;
    const hashes = { code_hash: newId(), link_hash: newId(), challenge_hash: newId() };
    await fixture.write(async (db) => {
      await addPortalSession(db, { ...theirs(), ...browser, token_hash: newId() });
      await addPortalCode(db, { ...theirs(), ...hashes, email, email_hash: newId() });
      await addTransfer(db, transfer);
    });
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

  test("people without anything proven are removed, others and unknown ones are not", async () => {
    const [email, kept] = [newEmail(), newEmail()];
    const [without, withOne] = [await personWith(emailOf(email)), await personWith(emailOf(kept))];
    await fixture.write(async (db) => {
      const { id } = (await people.identityRow(db, emailOf(email))) ?? { id: "" };
      await people.removeIdentity(db, without, id);
      await people.removeIfUnidentified(db, [without, withOne, newId(), without]);
    });
    expect([await exists(without), await exists(withOne)]).toEqual([false, true]);
  });

  test("what nobody has a customer for any more is removed, with people who are left with nothing", async () => {
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

  test("an email address is known if it is a customer's or someone has proven it", async () => {
    const { organizationId } = await fixture.organization();
    const [of, proven] = [newEmail(), newEmail()];
    await fixture.customer(organizationId, { email: of });
    const personId = await personWith(emailOf(proven));
    const known = (email: string) => read.knownEmail(email);
    expect(await known(of)).toEqual({ isKnown: true, personId: null, language: "en" });
    expect(await known(proven)).toEqual({ isKnown: true, personId, language: null });
    expect(await known(newEmail())).toEqual({ isKnown: false, personId: null, language: null });
    await fixture.change("organizations", organizationId, { deleted_at: 1 });
    expect((await known(of)).isKnown).toBe(false);
  });

  test("the language is the one the person chose, else that of the seller who recorded the customer last", async () => {
    const email = newEmail();
    for (const [at, locale] of (["es", "de"] as const).entries()) {
      const { organizationId } = await fixture.organization();
      await fixture.change("organizations", organizationId, { locale });
      const who = { email, discordId: null, name: null };
      await fixture.write((db) => customerFor(db, organizationId, who, newId, nowMs + at));
    }
    const language = async () => (await read.knownEmail(email)).language;
    expect(await language()).toBe("de");
    const personId = await personWith(emailOf(email));
    expect(await language()).toBe("de");
    await write.setPortalLocale(personId, "en", nowMs);
    expect(await language()).toBe("en");
  });
});
