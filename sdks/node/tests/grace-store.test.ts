import { expect, test } from "bun:test";
import { Countersign, type CountersignOptions, type GraceStore } from "../src/index.ts";
import { base, fakeFetch, key, validBody as valid } from "./fake-server.ts";

const revoked = { ...valid, valid: false, status: "revoked", custom: null };

/** A client whose server sends these responses in order, and is unreachable after the last. */
function createClient(
  graceStore: GraceStore,
  answers: object[],
  options: Partial<CountersignOptions> = {},
): Countersign {
  const { fetch } = fakeFetch(async () => {
    const answer = answers.shift();
    if (answer === undefined) throw new TypeError("fetch failed");
    return Response.json(answer);
  });
  return new Countersign({ ...base, cacheSeconds: 0, graceSeconds: 3_600, graceStore, fetch, ...options });
}

const fail = () => {
  throw new Error("the disk is full");
};
const forgetful: GraceStore = { load: () => null, save: () => undefined, remove: () => undefined };

/** A store in memory, with its entries. */
function memoryStore(
  changes: Partial<GraceStore> = {},
): GraceStore & { readonly entries: Map<string, string> } {
  const entries = new Map<string, string>();
  return {
    entries,
    load: (name) => entries.get(name) ?? null,
    save: (name, text) => void entries.set(name, text),
    remove: (name) => void entries.delete(name),
    ...changes,
  };
}

test("a store that cannot be written changes no verdict and grants no grace period", async () => {
  const client = createClient({ ...forgetful, save: fail, remove: fail }, [valid, revoked, valid]);
  for (const status of ["active", "revoked", "active"])
    expect<string>((await client.validate(key)).status).toBe(status);
  await expect(client.validate(key)).rejects.toThrow();
});

test("a store that cannot be read grants no grace period", async () => {
  const client = createClient({ ...forgetful, load: fail }, [valid]);
  await client.validate(key);
  await expect(client.validate(key)).rejects.toThrow();
});

test("a rejected license gets no grace period from a store that could not remove it", async () => {
  const store = memoryStore({ remove: fail });
  const client = createClient(store, [valid, revoked]);
  await client.validate(key);
  expect((await client.validate(key)).status).toBe("revoked");
  await expect(client.validate(key)).rejects.toThrow();
});

test("a rejected license gets no grace period, even after its rejection was evicted from memory", async () => {
  const store = memoryStore({ remove: fail });
  const keys = ["A", "B", "C", "D"];
  const earlier = createClient(store, [valid, valid, valid, valid, valid]);
  for (const one of [...keys, "OLD"]) await earlier.validate(one);
  const client = createClient(store, [revoked, revoked, revoked, revoked, valid], { cacheEntries: 2 });
  for (const one of keys) expect((await client.validate(one)).status).toBe("revoked");
  await client.validate("NEW");
  for (const one of keys) await expect(client.validate(one)).rejects.toThrow();
  expect((await client.validate("NEW")).source).toBe("grace");
  // A rejection was evicted from memory, so grants of an earlier process are ignored.
  await expect(client.validate("OLD")).rejects.toThrow();
});

test("a license that is valid again after a rejection has a grace period again", async () => {
  const store = memoryStore({ remove: fail });
  const client = createClient(store, [revoked, valid]);
  await client.validate(key);
  await client.validate(key);
  expect((await client.validate(key)).source).toBe("grace");
});

test("products that share a store have separate grace periods, even for the same license key", async () => {
  const store = memoryStore();
  const one = createClient(store, [valid]);
  const other = createClient(store, [valid], { apiKey: "csk_other" });
  await one.validate(key);
  await other.validate(key);
  expect((await one.validate(key)).source).toBe("grace");
  expect((await other.validate(key)).source).toBe("grace");
});

test("the store does not contain the license key", async () => {
  const store = memoryStore();
  await createClient(store, [valid]).validate(key);
  expect(JSON.stringify([...store.entries])).toContain("active");
  expect(JSON.stringify([...store.entries])).not.toContain(key);
});

test("a rejection during a concurrent grace check is not lost", async () => {
  const entered = Promise.withResolvers<void>();
  const resumed = Promise.withResolvers<void>();
  const memory = memoryStore();
  const load = async (name: string) => {
    const text = await memory.load(name);
    entered.resolve();
    await resumed.promise;
    return text;
  };
  const earlier = createClient(memory, [valid]);
  await earlier.validate(key, { version: "1" });
  const answers: object[] = [];
  const client = createClient({ ...memory, load }, answers);
  const graceCheck = client.validate(key, { version: "1" });
  await entered.promise;
  answers.push(revoked);
  const rejection = client.validate(key, { version: "2" });
  // Enough time to finish, if nothing blocked it.
  await Promise.race([rejection, new Promise((resolve) => setTimeout(resolve, 50))]);
  resumed.resolve();
  await graceCheck;
  expect((await rejection).status).toBe("revoked");
  expect(memory.entries.size).toBe(0);
});
