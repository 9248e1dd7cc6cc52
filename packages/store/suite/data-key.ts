import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { type DatabaseLocation, openStore } from "../open.ts";
import { quickKey } from "../passphrase.ts";
import { StoreProblem } from "../problem.ts";
import { Sealer } from "../sealer.ts";
import { times } from "./calls.ts";
import type { StoreFixture } from "./fixture.ts";

export function dataKey(fixture: StoreFixture) {
  describe("the data key", () => {
    const passphrase = "correct horse battery staple";
    const secret = randomBytes(32);

    test("is the same on every node, even if several create the first one together", async () => {
      const location = await fixture.empty();
      const nodes = await Promise.all(times(4, () => open(location, null)));
      const sealed = nodes[0]?.sealer.seal(secret) ?? "";
      for (const node of nodes) expect(secret.equals(node.sealer.open(sealed))).toBe(true);
      await Promise.all(nodes.map((node) => node.close()));
    });

    test("is encrypted with a passphrase from the start, and decrypted only by it", async () => {
      const location = await fixture.empty();
      const first = await open(location, passphrase);
      const sealed = first.sealer.seal(secret);
      expect(await storedKey(first)).toStartWith("scrypt.");
      await first.close();
      const again = await open(location, passphrase);
      expect(secret.equals(again.sealer.open(sealed))).toBe(true);
      await again.close();
      await expectProblem(open(location, "another passphrase"), "COUNTERSIGN_ENCRYPTION_KEY is not the key");
      await expectProblem(open(location, null), "Set COUNTERSIGN_ENCRYPTION_KEY");
    });

    test("is encrypted by a passphrase that is set later, and every secret stays readable", async () => {
      const location = await fixture.empty();
      const plain = await open(location, null);
      const sealed = plain.sealer.seal(secret);
      expect(await storedKey(plain)).toStartWith("plain.");
      await plain.close();
      const later = await open(location, passphrase);
      expect(secret.equals(later.sealer.open(sealed))).toBe(true);
      expect(await storedKey(later)).toStartWith("scrypt.");
      await later.close();
      await expectProblem(open(location, null), "Set COUNTERSIGN_ENCRYPTION_KEY");
    });

    test("is encrypted with a random key without stretching", async () => {
      const location = await fixture.empty();
      const key = randomBytes(32).toString("base64");
      const first = await open(location, key);
      const sealed = first.sealer.seal(secret);
      await first.close();
      const again = await open(location, key);
      expect(secret.equals(again.sealer.open(sealed))).toBe(true);
      await again.close();
    });

    test("is re-encrypted by the next start if its passphrase was not stretched", async () => {
      const location = await fixture.empty();
      const first = await open(location, null);
      const sealed = first.sealer.seal(secret);
      const key = Buffer.from((await storedKey(first)).slice("plain.".length), "base64url");
      const weak = `sealed.${new Sealer(quickKey(passphrase)).seal(key)}`;
      await first.transaction((db) =>
        db.updateTable("platform_state").set({ value: weak }).where("name", "=", "data_key").execute(),
      );
      await first.close();
      const nodes = await Promise.all(times(3, () => open(location, passphrase)));
      for (const node of nodes) expect(secret.equals(node.sealer.open(sealed))).toBe(true);
      for (const node of nodes) expect(await storedKey(node)).toStartWith("scrypt.");
      await Promise.all(nodes.map((node) => node.close()));
    });
  });
}

function open(location: DatabaseLocation, encryptionKey: string | null) {
  return openStore(location, { encryptionKey, durability: "standard" });
}

async function storedKey(store: Awaited<ReturnType<typeof open>>): Promise<string> {
  const { value } = await store.reads
    .selectFrom("platform_state")
    .select("value")
    .where("name", "=", "data_key")
    .executeTakeFirstOrThrow();
  return value;
}

async function expectProblem(opening: Promise<unknown>, text: string) {
  const problem = await opening.then(
    () => null,
    (error: unknown) => error,
  );
  expect(problem).toBeInstanceOf(StoreProblem);
  expect(String(problem)).toContain(text);
}
