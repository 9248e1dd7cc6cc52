import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { storedRow } from "../../../tests/support/stored-rows.ts";
import { type DatabaseLocation, openStore } from "../open.ts";
import { quickKey } from "../passphrase.ts";
import { StoreProblem } from "../problem.ts";
import { setState } from "../queries/admin/platform-state.ts";
import { Sealer } from "../sealer.ts";
import type { Store } from "../store.ts";
import { times } from "./calls.ts";
import type { StoreFixture } from "./fixture.ts";

export function dataKey(fixture: StoreFixture) {
  describe("the data key", () => {
    const secret = randomBytes(32);
    /** Random enough to be used without stretching, which takes long. */
    const [key, otherKey] = [randomBytes(32).toString("base64"), randomBytes(32).toString("base64")];

    test("is the same on every node, even if several create the first one together", async () => {
      const location = await fixture.separate();
      const nodes = await Promise.all(times(4, () => open(location, null)));
      const sealed = nodes[0]?.sealer.seal(secret) ?? "";
      for (const node of nodes) expect(secret.equals(node.sealer.open(sealed))).toBe(true);
      await Promise.all(nodes.map((node) => node.close()));
    });

    test.each([
      { set: "from the start", firstKey: key, beginning: "sealed." },
      { set: "later", firstKey: null, beginning: "plain." },
    ])(
      "is encrypted with a key that is set $set: every secret stays readable, and only with it",
      async ({ firstKey, beginning }) => {
        const location = await fixture.separate();
        const first = await open(location, firstKey);
        const sealed = first.sealer.seal(secret);
        expect(await storedKey(first)).toStartWith(beginning);
        await first.close();
        const again = await open(location, key);
        expect(secret.equals(again.sealer.open(sealed))).toBe(true);
        expect(await storedKey(again)).toStartWith("sealed.");
        await again.close();
        await expectProblem(open(location, otherKey), "COUNTERSIGN_ENCRYPTION_KEY is not the key");
        await expectProblem(open(location, null), "Set COUNTERSIGN_ENCRYPTION_KEY");
      },
    );

    test("is re-encrypted by the next start if its passphrase was not stretched", async () => {
      const passphrase = "correct horse battery staple";
      const location = await fixture.separate();
      const first = await open(location, null);
      const sealed = first.sealer.seal(secret);
      const plain = Buffer.from((await storedKey(first)).slice("plain.".length), "base64url");
      const weak = `sealed.${new Sealer(quickKey(passphrase)).seal(plain)}`;
      await first.transaction((db) => setState(db, "data_key", weak));
      await first.close();
      const nodes = await Promise.all(times(2, () => open(location, passphrase)));
      for (const node of nodes) {
        expect(secret.equals(node.sealer.open(sealed))).toBe(true);
        expect(await storedKey(node)).toStartWith("scrypt.");
        await node.close();
      }
    });
  });
}

function open(location: DatabaseLocation, encryptionKey: string | null) {
  return openStore(location, { encryptionKey, durability: "standard" });
}

async function storedKey({ reads }: Store): Promise<string> {
  return (await storedRow(reads, "platform_state", { name: "data_key" })).value;
}

async function expectProblem(opening: Promise<unknown>, text: string) {
  const problem = await opening.catch((error: unknown) => error);
  expect(problem).toBeInstanceOf(StoreProblem);
  expect(String(problem)).toContain(text);
}
