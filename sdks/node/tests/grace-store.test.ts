import { expect, test } from "bun:test";
import type { CountersignOptions, GraceStore } from "../src/index.ts";
import { clientWith, type fakeFetch, key, revoked, unreachable, valid } from "./fake-server.ts";

/** A client whose server sends these answers in order, and the last one again. */
function createClient(
  graceStore: GraceStore,
  answers: Parameters<typeof fakeFetch>,
  options: Partial<CountersignOptions> = {},
) {
  return clientWith(answers, { retries: 0, cacheSeconds: 0, graceSeconds: 3_600, graceStore, ...options })
    .client;
}

const fail = () => {
  throw new Error("the disk is full");
};
const forgetful: GraceStore = { load: () => null, save: () => undefined, remove: () => undefined };

/** A store in memory, with its entries. */
function memoryStore(changes: Partial<GraceStore> = {}) {
  const entries = new Map<string, string>();
  return {
    entries,
    load: (name: string) => entries.get(name) ?? null,
    save: (name: string, text: string) => void entries.set(name, text),
    remove: (name: string) => void entries.delete(name),
    ...changes,
  };
}

test("a store that cannot be written changes no verdict and grants no grace period", async () => {
  const store = { ...forgetful, save: fail, remove: fail };
  const client = createClient(store, [valid, revoked, valid, unreachable]);
  for (const status of ["active", "revoked", "active"])
    expect<string>((await client.validate(key)).status).toBe(status);
  await expect(client.validate(key)).rejects.toThrow();
});

test("a store that cannot be read grants no grace period", async () => {
  const client = createClient({ ...forgetful, load: fail }, [valid, unreachable]);
  await client.validate(key);
  await expect(client.validate(key)).rejects.toThrow();
});

test("a rejected license gets no grace period from a store that could not remove it, until it is valid again", async () => {
  const store = memoryStore({ remove: fail });
  const client = createClient(store, [valid, revoked, unreachable, valid, unreachable]);
  await client.validate(key);
  expect((await client.validate(key)).status).toBe("revoked");
  await expect(client.validate(key)).rejects.toThrow();
  await client.validate(key);
  expect((await client.validate(key)).source).toBe("grace");
});

test("a rejected license gets no grace period, even after its rejection was evicted from memory", async () => {
  const store = memoryStore({ remove: fail });
  const keys = ["A", "B", "C", "D"];
  const earlier = createClient(store, [valid]);
  for (const one of [...keys, "OLD"]) await earlier.validate(one);
  const answers = [...keys.map(() => revoked), valid, unreachable];
  const client = createClient(store, answers, { cacheEntries: 2 });
  for (const one of keys) expect((await client.validate(one)).status).toBe("revoked");
  await client.validate("NEW");
  for (const one of keys) await expect(client.validate(one)).rejects.toThrow();
  expect((await client.validate("NEW")).source).toBe("grace");
  // A rejection was evicted from memory, so grants of an earlier process are ignored.
  await expect(client.validate("OLD")).rejects.toThrow();
});

test("products that share a store have separate grace periods, even for the same license key", async () => {
  const store = memoryStore();
  const one = createClient(store, [valid, unreachable]);
  const other = createClient(store, [valid, unreachable], { apiKey: "csk_other" });
  for (const client of [one, other]) await client.validate(key);
  for (const client of [one, other]) expect((await client.validate(key)).source).toBe("grace");
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
    const text = memory.load(name);
    entered.resolve();
    await resumed.promise;
    return text;
  };
  await createClient(memory, [valid]).validate(key, { version: "1" });
  const client = createClient({ ...memory, load }, [unreachable, revoked]);
  const graceCheck = client.validate(key, { version: "1" });
  await entered.promise;
  const rejection = client.validate(key, { version: "2" });
  // Enough time to finish, if nothing blocked it.
  await Promise.race([rejection, new Promise((resolve) => setTimeout(resolve, 50))]);
  resumed.resolve();
  await graceCheck;
  expect((await rejection).status).toBe("revoked");
  expect(memory.entries.size).toBe(0);
});
