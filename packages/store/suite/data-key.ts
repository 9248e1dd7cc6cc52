import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { storedRow } from "../../../tests/support/stored-rows.ts";
import { type DatabaseLocation, openStore, type StoreOptions } from "../databases/open.ts";
import { StoreProblem } from "../errors/problem.ts";
import type { Store } from "../store.ts";
import { times } from "./calls.ts";
import type { StoreFixture } from "./fixture.ts";

/** How a passphrase becomes a key: packages/store/secrets/data-key.test.ts. */
export function dataKey(fixture: StoreFixture) {
  describe("data keys", () => {
    const secret = randomBytes(32);
    const open = (location: DatabaseLocation, options: Partial<StoreOptions> = {}) =>
      openStore(location, { encryptionKey: null, durability: "standard", ...options });
    const storedKey = async ({ reads }: Store) =>
      (await storedRow(reads, "platform_state", { name: "data_key" })).value;

    test("the data key is the same on every node, even if several create the first one together", async () => {
      const location = await fixture.separate();
      const nodes = await Promise.all(times(4, () => open(location)));
      const sealed = nodes[0]?.sealer.seal(secret) ?? "";
      for (const node of nodes) expect(secret.equals(node.sealer.open(sealed))).toBe(true);
      await Promise.all(nodes.map((node) => node.close()));
    });

    test("a start with a key encrypts the data key, secrets need that key from then on, and no error repeats it", async () => {
      // Random enough to be used without stretching, which takes long.
      const [key, otherKey] = [randomBytes(32).toString("hex"), randomBytes(32).toString("hex")];
      const location = await fixture.separate();
      const first = await open(location);
      const sealed = first.sealer.seal(secret);
      expect(await storedKey(first)).toStartWith("plain.");
      await first.close();
      for (const node of await Promise.all(times(2, () => open(location, { encryptionKey: key })))) {
        expect(secret.equals(node.sealer.open(sealed))).toBe(true);
        expect(await storedKey(node)).toStartWith("sealed.");
        await node.close();
      }
      for (const [encryptionKey, text] of [
        [otherKey, "COUNTERSIGN_ENCRYPTION_KEY is not the key"],
        [null, "Set COUNTERSIGN_ENCRYPTION_KEY"],
      ] as const) {
        const refused = open(location, { encryptionKey, soleServer: true });
        const problem = await refused.catch((error: unknown) => error);
        expect(problem).toBeInstanceOf(StoreProblem);
        expect(String(problem)).toContain(text);
        expect(String(problem)).not.toMatch(new RegExp(`${key}|${otherKey}`));
      }
      // A start that failed does not keep a folder of SQLite.
      const last = await open(location, { encryptionKey: key, soleServer: true });
      expect(secret.equals(last.sealer.open(sealed))).toBe(true);
      await last.close();
    });
  });
}
