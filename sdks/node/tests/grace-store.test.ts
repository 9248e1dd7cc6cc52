import { expect, test } from "bun:test";
import { Countersign, type GraceStore } from "../src/index.ts";

const key = "ABCD-EFGH-JKMN-PQRS";
const usual = { ip_registered: false, ip_count: 1, max_ips: 3, expires: null, signature: null };
const valid = { valid: true, status: "active", custom: { plan: { name: "pro" } }, ...usual };
const revoked = { valid: false, status: "revoked", custom: null, ...usual };

/** A client of a server that gives these answers in turn, and is away after the last. */
function clientOf(
  graceStore: GraceStore,
  answers: object[],
  cacheEntries?: number,
  apiKey = "csk_test",
): Countersign {
  return new Countersign({
    cacheEntries,
    apiKey,
    baseUrl: "http://127.0.0.1:9",
    cacheSeconds: 0,
    graceSeconds: 3_600,
    graceStore,
    random: () => 0,
    fetch: (async () => {
      const answer = answers.shift();
      if (answer === undefined) throw new TypeError("fetch failed");
      return Response.json(answer);
    }) as unknown as typeof fetch,
  });
}

const broken = () => {
  throw new Error("the disk is full");
};

test("a store that cannot be written loses no verdict, and grants nothing later", async () => {
  const client = clientOf({ load: () => null, save: broken, remove: broken }, [valid, revoked, valid]);
  expect((await client.validate(key)).valid).toBe(true);
  expect((await client.validate(key)).status).toBe("revoked");
  expect((await client.validate(key)).valid).toBe(true);
  expect(client.validate(key)).rejects.toThrow();
});

test("a store that cannot be read grants nothing", async () => {
  const client = clientOf({ load: broken, save: () => undefined, remove: () => undefined }, [valid]);
  await client.validate(key);
  expect(client.validate(key)).rejects.toThrow();
});

test("what was refused is not granted from a store that could not remove it", async () => {
  const kept = new Map<string, string>();
  const store: GraceStore = {
    load: (name) => kept.get(name) ?? null,
    save: (name, text) => void kept.set(name, text),
    remove: broken,
  };
  const client = clientOf(store, [valid, revoked]);
  await client.validate(key);
  expect((await client.validate(key)).status).toBe("revoked");
  expect(client.validate(key)).rejects.toThrow();
});

test("however many are refused, none is granted from a store that could not remove it", async () => {
  const kept = new Map<string, string>();
  const store: GraceStore = {
    load: (name) => kept.get(name) ?? null,
    save: (name, text) => void kept.set(name, text),
    remove: broken,
  };
  const keys = ["A", "B", "C", "D"];
  const earlier = clientOf(store, [valid, valid, valid, valid, valid]);
  for (const one of [...keys, "OLD"]) await earlier.validate(one);
  const client = clientOf(store, [revoked, revoked, revoked, revoked, valid], 2);
  for (const one of keys) expect((await client.validate(one)).status).toBe("revoked");
  await client.validate("NEW");
  for (const one of keys) await expect(client.validate(one)).rejects.toThrow();
  expect((await client.validate("NEW")).source).toBe("grace");
  // Nobody knows any more which were refused, so that of an earlier process counts for nothing.
  await expect(client.validate("OLD")).rejects.toThrow();
});

test("what is granted after it was refused has its grace again", async () => {
  const kept = new Map<string, string>();
  const store: GraceStore = {
    load: (name) => kept.get(name) ?? null,
    save: (name, text) => void kept.set(name, text),
    remove: broken,
  };
  const client = clientOf(store, [revoked, valid]);
  await client.validate(key);
  await client.validate(key);
  expect((await client.validate(key)).source).toBe("grace");
});

test("what one caller does with the custom response is no other's business", async () => {
  const client = clientOf({ load: () => null, save: () => undefined, remove: () => undefined }, [valid]);
  const { custom } = await client.validate(key);
  expect(() => {
    (custom as { plan: { name: string } }).plan.name = "free";
  }).toThrow();
});

test("products that share a store keep their own, also for the same license key", async () => {
  const kept = new Map<string, string>();
  const store: GraceStore = {
    load: (name) => kept.get(name) ?? null,
    save: (name, text) => void kept.set(name, text),
    remove: (name) => void kept.delete(name),
  };
  const one = clientOf(store, [valid]);
  const other = clientOf(store, [valid], undefined, "csk_other");
  await one.validate(key);
  await other.validate(key);
  expect((await one.validate(key)).source).toBe("grace");
  expect((await other.validate(key)).source).toBe("grace");
});

test("the license key is not in what is kept", async () => {
  const kept = new Map<string, string>();
  const save = (name: string, text: string) => void kept.set(name, text);
  await clientOf({ load: () => null, save, remove: () => undefined }, [valid]).validate(key);
  expect(JSON.stringify([...kept])).toContain("active");
  expect(JSON.stringify([...kept])).not.toContain(key);
});

test("a refusal stays, although somebody was just being granted grace", async () => {
  const kept = new Map<string, string>();
  let goOn = () => {};
  let isLoading = () => {};
  const loading = new Promise<void>((resolve) => {
    isLoading = resolve;
  });
  const store: GraceStore = {
    load: async (name) => {
      const text = kept.get(name) ?? null;
      isLoading();
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
      return text;
    },
    save: (name, text) => void kept.set(name, text),
    remove: (name) => void kept.delete(name),
  };
  const earlier = clientOf({ ...store, load: () => null }, [valid]);
  await earlier.validate(key, { version: "1" });
  const answers: object[] = [];
  const client = clientOf(store, answers);
  const granting = client.validate(key, { version: "1" });
  await loading;
  answers.push(revoked);
  const refusing = client.validate(key, { version: "2" });
  // As long as it takes where nothing holds it up.
  await Promise.race([refusing, new Promise((resolve) => setTimeout(resolve, 50))]);
  goOn();
  await granting;
  expect((await refusing).status).toBe("revoked");
  expect(kept.size).toBe(0);
});
