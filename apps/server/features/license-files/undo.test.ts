import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { failure } from "@countersign/contract/problems/failures";
import { productById } from "@countersign/store/queries/manage/access";
import { deleteProduct } from "@countersign/store/queries/products/products";
import type { ImportRow } from "@countersign/store/tables";
import { databases, type TestDatabase } from "../../../../tests/support/databases.ts";
import { csvFile } from "../../../../tests/support/license-files.ts";
import { openTestOrganization, type TestOrganization } from "../../../../tests/support/test-organization.ts";
import { importFromFile } from "./import-from-file.ts";
import type { ImportOptions } from "./job.ts";

describe.each(databases)("an import that cannot complete, on $kind", ({ make }) => {
  let database: TestDatabase;
  let org: TestOrganization;
  beforeAll(async () => {
    database = await make();
    org = await openTestOrganization(database.location);
  }, 60_000);
  afterAll(async () => {
    await org.store.close();
    database.remove();
  });

  const options: ImportOptions = {
    format: "csv",
    dryRun: false,
    mode: "all_or_nothing",
    onExisting: "fail",
    columns: {},
  };
  const header = ["license_key", "customer_email", "notes", "tags", "ips"];
  const rows = (prefix: string) =>
    Array.from({ length: 5_000 }, (_, number) => [
      `${prefix}-${number}`,
      `u${number}@example.com`,
      "new",
      "new",
      "10.0.0.9",
    ]);

  /** Imports, and runs `meanwhile` once some rows are written and others are not. */
  async function importWith(
    productId: string,
    file: string,
    changes: Partial<ImportOptions>,
    meanwhile: () => Promise<void>,
  ): Promise<ImportRow> {
    const product = await productById(org.store.reads, productId);
    if (product === undefined) throw new Error("no product");
    let begun: Promise<void> | null = null;
    async function* body() {
      yield new TextEncoder().encode(file);
    }
    const original = org.store.transaction.bind(org.store);
    const store = Object.create(org.store, {
      transaction: {
        value: async (...parameters: Parameters<typeof original>) => {
          await begun;
          return original(...parameters);
        },
      },
      reads: { value: org.store.reads },
      bulk: { value: org.store.bulk },
      clock: { value: () => org.store.clock() },
    }) as typeof org.store;
    return importFromFile(store, product, { ...options, ...changes }, body(), (job) => {
      if (job.state === "writing" && job.rows_done > 0) begun ??= meanwhile();
    });
  }

  const everything = async (productId: string) => {
    const { reads } = org.store;
    const licenses = await reads
      .selectFrom("licenses")
      .selectAll()
      .where("product_id", "=", productId)
      .orderBy("id")
      .execute();
    const ids = ["", ...licenses.map((license) => license.id)];
    const tags = await reads
      .selectFrom("license_tags")
      .selectAll()
      .where("license_id", "in", ids)
      .orderBy("license_id")
      .execute();
    const ips = await reads
      .selectFrom("license_ips")
      .selectAll()
      .where("license_id", "in", ids)
      .orderBy("license_id")
      .execute();
    return { licenses, tags, ips };
  };

  test("reverts every row if a key was taken in the meantime", async () => {
    const { productId } = await org.product();
    const job = await importWith(productId, csvFile(header, ...rows("TAKEN")), {}, async () => {
      await org.license({ productId, key: "taken-4999" });
    });
    expect(job).toMatchObject({ state: "failed", created: 0 });
    expect(JSON.parse(job.failure ?? "null")).toMatchObject({
      code: "import_row_changed",
      params: { row: 5001, error: { field: "license_key", code: "license_key_taken" } },
    });
    const { licenses, tags, ips } = await everything(productId);
    expect(licenses.map((license) => license.license_key)).toEqual(["taken-4999"]);
    expect({ tags, ips }).toEqual({ tags: [], ips: [] });
    expect(await org.store.reads.selectFrom("import_undo").selectAll().execute()).toEqual([]);
    expect(await org.store.reads.selectFrom("import_pieces").selectAll().execute()).toEqual([]);
  }, 60_000);

  test("restores what it had overwritten", async () => {
    const { productId } = await org.product();
    const before = rows("BACK")
      .slice(0, 300)
      .map(([key, email]) => [key, email, "old", "old", "10.0.0.1"] as string[]);
    await importWith(productId, csvFile(header, ...before), {}, async () => {});
    const old = await everything(productId);
    const job = await importWith(
      productId,
      csvFile(header, ...rows("BACK")),
      { onExisting: "update" },
      async () => {
        await org.store.transaction((db) => deleteProduct(db, productId, Date.now()));
      },
    );
    expect(job).toMatchObject({
      state: "failed",
      failure: JSON.stringify(failure("import_product_deleted")),
      created: 0,
      updated: 0,
    });
    expect(await everything(productId)).toEqual(old);
  }, 60_000);

  test("reports the row whose key was taken and keeps the others, if it is not all-or-nothing", async () => {
    const { productId } = await org.product();
    const job = await importWith(
      productId,
      csvFile(header, ...rows("ROWS")),
      { mode: "row_by_row" },
      async () => {
        await org.license({ productId, key: "rows-4999" });
      },
    );
    expect(job).toMatchObject({ state: "finished", created: 4_999, failed: 1 });
    expect(JSON.parse(job.errors)).toMatchObject([{ row: 5_001, field: "license_key" }]);
  }, 60_000);
});
