import { expect, test } from "bun:test";
import type { VersionState } from "@countersign/domain/versions/catalog";
import { onBothDatabases } from "../../../../tests/support/query-tests.ts";
import * as versions from "./versions.ts";

onBothDatabases("versions", (fixture) => {
  const { read, write } = fixture.queries(versions);
  /** A product with records, and another with the same ones. */
  const product = async (records: Record<string, VersionState>) => {
    const org = await fixture.organization();
    const { productId: otherId } = await org.product();
    const set = (productId: string, version: string, state: VersionState, nowMs: number) =>
      write.setVersion(productId, { version, state }, nowMs);
    for (const [version, state] of Object.entries(records))
      for (const id of [org.productId, otherId]) await set(id, version, state, 1);
    const stateOf = async (productId: string) => {
      const rows = await read.versionsOf(productId);
      const texts = rows.map(({ version, state, created_at }) => `${version} ${state} ${created_at}`);
      const { versions_revision: revision } = await fixture.row("products", { id: productId });
      return { texts: texts.sort(), revision };
    };
    const { revision } = await stateOf(org.productId);
    return {
      productId: org.productId,
      set: (version: string, state: VersionState, nowMs: number) => set(org.productId, version, state, nowMs),
      /** The records, after this many changes; those of the other product are unchanged. */
      expectAfter: async (changes: number, texts: string[]) => {
        expect(await stateOf(org.productId)).toEqual({ texts, revision: revision + changes });
        expect(await stateOf(otherId)).toEqual({
          texts: Object.entries(records).map(([version, state]) => `${version} ${state} 1`),
          revision,
        });
      },
    };
  };

  test("a version record is added, or changed without its time, and the revision grows", async () => {
    const { set, expectAfter } = await product({ "1.0": "allowed" });
    await set("1.1", "deprecated", 2);
    await expectAfter(1, ["1.0 allowed 1", "1.1 deprecated 2"]);
    await set("1.0", "blocked", 3);
    await expectAfter(2, ["1.0 blocked 1", "1.1 deprecated 2"]);
  });

  test("a new latest version makes the previous one allowed, and does not change the others", async () => {
    const { set, expectAfter } = await product({ "1.0": "blocked", "2.0": "deprecated", "3.0": "latest" });
    await set("4.0", "latest", 2);
    await expectAfter(1, ["1.0 blocked 1", "2.0 deprecated 1", "3.0 allowed 1", "4.0 latest 2"]);
    await set("2.0", "latest", 3);
    await expectAfter(2, ["1.0 blocked 1", "2.0 latest 1", "3.0 allowed 1", "4.0 allowed 2"]);
  });

  test("a removal deletes one version record of one product", async () => {
    const { productId, expectAfter } = await product({ "1.0": "allowed", "2.0": "latest" });
    await write.removeVersion(productId, "1.0");
    await expectAfter(1, ["2.0 latest 1"]);
  });

  test("all version records of a product are replaced in one change", async () => {
    const { productId, expectAfter } = await product({ "1.0": "allowed", "2.0": "latest" });
    const replace = (records: Record<string, VersionState>) =>
      fixture.write((db) => {
        const rows = Object.entries(records).map(([version, state]) => {
          return { product_id: productId, version, state, created_at: version === "2.0" ? 1 : 9 };
        });
        return versions.replaceVersions(db, fixture.store.bulk, productId, rows);
      });
    await replace({ "2.0": "deprecated", "3.0": "latest", "4.0": "allowed" });
    await expectAfter(1, ["2.0 deprecated 1", "3.0 latest 9", "4.0 allowed 9"]);
    await replace({});
    await expectAfter(2, []);
  });
});
