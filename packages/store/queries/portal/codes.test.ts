import { expect, test } from "bun:test";
import { idsOf, onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import * as codes from "./codes.ts";
import * as people from "./people.ts";

const nowMs = Date.UTC(2030, 0, 1);

onBothDatabases("codes of the portal", (fixture) => {
  const { read, write } = fixture.queries({ ...codes, ...people });
  /** A code for an email address: to sign in, or for a person to add it. */
  async function addCode({
    email = `${newId()}@example.com`,
    personId = null as string | null,
    expiresAtMs = nowMs + 1,
  } = {}) {
    const [id, codeHash, linkHash, challengeHash] = [newId(), newId(), newId(), newId()];
    const emailHash = `hash of ${email}`;
    await write.addPortalCode({
      ...{ id, email, email_hash: emailHash, person_id: personId, code_hash: codeHash, link_hash: linkHash },
      ...{ challenge_hash: challengeHash, created_at: nowMs - 600_000, expires_at: expiresAtMs },
    });
    return { id, email, emailHash, codeHash, linkHash, challengeHash, nowMs };
  }
  type Code = Awaited<ReturnType<typeof addCode>>;
  const stored = ({ emailHash }: Pick<Code, "emailHash">) =>
    fixture.rows("portal_codes", { email_hash: emailHash });
  const someone = () =>
    write.personWith({ kind: "email", value: `${newId()}@example.com`, name: null }, newId, nowMs);

  const browsers = {
    "the browser that requested it": {
      tried: (code: Code) => write.tryRequestedCodes(code),
      counted: { attempts: 5, other_attempts: 0 },
      isForAdding: false,
    },
    "all other browsers together": {
      tried: (code: Code) => write.tryCodesOfOthers(code),
      counted: { attempts: 0, other_attempts: 5 },
      isForAdding: false,
    },
    "the person who adds the email address": {
      tried: async (code: Code) => {
        const [row] = await stored(code);
        const personId = row?.person_id ?? "nobody";
        return write.tryCodesForAdding({ ...code, personId });
      },
      counted: { attempts: 5, other_attempts: 0 },
      isForAdding: true,
    },
  };
  const cases = Object.entries(browsers);
  const codeFor = async (isForAdding: boolean, expiresAtMs = nowMs + 1) =>
    addCode({ personId: isForAdding ? await someone() : null, expiresAtMs });

  test.each(cases)("a code allows %s at most five attempts", async (_, { tried, counted, isForAdding }) => {
    const code = await codeFor(isForAdding);
    const attempts = await Promise.all(Array.from({ length: 12 }, () => tried(code)));
    const expected = { id: code.id, code_hash: code.codeHash };
    expect(attempts.flat()).toEqual(Array(5).fill(expected));
    expect(await stored(code)).toMatchObject([counted]);
  });

  test.each(cases)("a code that expires now allows %s no attempt", async (_, { tried, isForAdding }) => {
    expect(await tried(await codeFor(isForAdding, nowMs))).toEqual([]);
  });

  test.each(cases)("a code of the other purpose allows %s no attempt", async (_, { tried, isForAdding }) => {
    const code = await codeFor(!isForAdding);
    expect(await tried(code)).toEqual([]);
    expect(await stored(code)).toMatchObject([{ attempts: 0, other_attempts: 0 }]);
  });

  test("attempts of a browser count for the codes it requested, those of others for all of the email address", async () => {
    const one = await addCode();
    const other = await addCode({ email: one.email });
    const unrelated = await addCode();
    const ids = (tried: readonly codes.TriedCode[]) => idsOf(tried).sort();
    expect(ids(await write.tryRequestedCodes(one))).toEqual([one.id]);
    expect(ids(await write.tryCodesOfOthers(one))).toEqual([one.id, other.id].sort());
    expect(await stored(unrelated)).toMatchObject([{ attempts: 0, other_attempts: 0 }]);
  });

  test("a person tries only codes that they requested themselves", async () => {
    const code = await addCode({ personId: await someone() });
    const personId = await someone();
    expect(await write.tryCodesForAdding({ ...code, personId })).toEqual([]);
  });

  test("a browser has requested a code until the code expires, and only for this email address", async () => {
    const code = await addCode();
    const has = (changes: object) => read.hasRequestedCode({ ...code, ...changes });
    expect(await has({})).toBe(true);
    expect(await has({ nowMs: nowMs + 1 })).toBe(false);
    expect(await has({ challengeHash: newId() })).toBe(false);
    expect(await has({ emailHash: newId() })).toBe(false);
    expect(await read.hasRequestedCode(await codeFor(true))).toBe(false);
  });

  const take = ({ linkHash }: Code) => write.takeLink(linkHash, nowMs);

  test("a link gives its email address once, also concurrently, and uses up all codes of the email address", async () => {
    const one = await addCode();
    const other = await addCode({ email: one.email });
    const unrelated = await addCode();
    const taken = await Promise.all([take(one), take(one), take(one)]);
    expect(taken.filter((email) => email !== null)).toEqual([one.email]);
    expect(await take(other)).toBeNull();
    expect(await stored(one)).toEqual([]);
    expect(await stored(unrelated)).toHaveLength(1);
  });

  test("a link that expires now, is unknown, or belongs to a code for adding gives nothing", async () => {
    expect(await take(await addCode({ expiresAtMs: nowMs }))).toBeNull();
    expect(await take({ ...(await addCode()), linkHash: newId() })).toBeNull();
    expect(await take(await codeFor(true))).toBeNull();
  });

  test("a stored code does not contain the email address", async () => {
    const email = `${newId()}@example.com`;
    const { id } = await addCode({ email });
    expect((await fixture.row("portal_codes", { id })).sealed_email).not.toContain(email);
  });

  test("the codes of an email address are removed, and no others", async () => {
    const [code, other] = [await addCode(), await addCode()];
    await write.removeCodesOf(code.emailHash);
    expect([await stored(code), (await stored(other)).length]).toEqual([[], 1]);
  });
});
