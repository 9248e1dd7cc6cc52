import { expect, test } from "bun:test";
import { dayMs } from "@countersign/domain/dates/lengths";
import { addLicense } from "../../../../tests/support/add-license.ts";
import { onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { deleteProduct } from "../products/products.ts";
import * as licenseRefusalsQueries from "./license-refusals.ts";
import { maxLicensesAtOnce } from "./license-refusals.ts";
import { countEntries, lastValidation, newestRequests, searchBounds } from "./search.ts";
import * as namedLicensesQueries from "./shown.ts";
import * as namedProductsQueries from "./shown.ts";
import { logStart } from "./shown.ts";

/** Searching the log itself is tested in suite/request-search.ts. */
onBothDatabases("shown requests", (fixture) => {
  const { read } = fixture.queries({
    ...licenseRefusalsQueries,
    ...namedLicensesQueries,
    ...namedProductsQueries,
  });
  test("the licenses and products of the organization are named, without licenses of deleted products", async () => {
    const [org, other] = [await fixture.organization(), await fixture.organization()];
    const deleted = await org.product();
    const own = await addLicense(org, { customer: { email: "ada@example.com", name: "Ada" } });
    const gone = await org.license({ productId: deleted.productId });
    const theirs = await other.license();
    await fixture.write((db) => deleteProduct(db, deleted.productId, 1));
    const ids = [own.id, gone.id, theirs.id, "unknown"];
    expect(await read.namedLicenses(org.organizationId, ids)).toEqual(
      new Map([[own.id, { license_key: own.key, customer_name: "Ada" }]]),
    );
    const products = [org.productId, deleted.productId, other.productId];
    const name = (id: string) => [id, "Test Product"] as const;
    const named = new Map([name(org.productId), name(deleted.productId)]);
    expect(await read.namedProducts(org.organizationId, products)).toEqual(named);
    expect(await read.namedProducts(org.organizationId, [])).toEqual(new Map());
  });

  test("the newest requests of the organization since a time are read across midnight, and counted", async () => {
    const { organizationId: organization_id } = await fixture.organization();
    const { listReads } = fixture.store;
    const midnight = Math.floor(Date.now() / dayMs - 3) * dayMs;
    const times = [-2_000, -1_000, 0, 1_000].map((ms) => midnight + ms);
    await fixture.log([
      ...times.map((at) => ({ at, organization_id })),
      { at: midnight, organization_id: newId() },
    ]);
    const newest = async (sinceMs: number, limit: number) =>
      (await newestRequests(listReads, organization_id, sinceMs, limit)).map(({ at }) => at);
    expect(await newest(midnight - 1_000, 9)).toEqual(times.slice(1).reverse());
    expect(await newest(0, 3)).toEqual(times.slice(1).reverse());
    const range = { fromMs: midnight - 1_000, untilMs: midnight + 1_000 };
    expect(await countEntries(listReads, organization_id, range)).toBe(2);
    expect(await logStart(listReads, organization_id)).toBeLessThanOrEqual(midnight - dayMs);
  });

  test("the last validation of a product, except of the sandbox, is found as far as there is time", async () => {
    const { organizationId: organization_id, productId: id, product } = await fixture.organization();
    const other = await product();
    const { listReads } = fixture.store;
    const nowMs = Date.now();
    const row = { organization_id, product_id: id };
    await fixture.log([
      { ...row, at: nowMs - 9_000, version: "1.0" },
      { ...row, at: nowMs - 8_000, version: "2.0" },
      { ...row, at: nowMs - 7_000, sandbox: 1 },
      { ...row, at: nowMs - 7_000, endpoint: "lookup" },
      { ...row, at: nowMs - 7_000, product_id: other.productId },
    ]);
    const unhurried = { ...searchBounds, timeoutMs: 60_000 };
    const last = (sinceMs: number, bounds = unhurried) =>
      lastValidation(listReads, { id, organization_id }, sinceMs, bounds);
    expect(await last(nowMs - 10_000)).toMatchObject({ version: "2.0" });
    expect(await last(nowMs - 7_500)).toBeUndefined();
    const unused = await product();
    const hurried = { ...searchBounds, clock: () => 0, timeoutMs: 0 };
    const none = lastValidation(listReads, { id: unused.productId, organization_id }, 0, hurried);
    expect(await none).toBeUndefined();
  });

  test("refusals are read of a limited number of licenses at once", async () => {
    expect(await read.licenseRefusals([])).toEqual([]);
    const many = Array.from({ length: maxLicensesAtOnce + 1 }, () => ({ licenseId: newId(), sinceMs: 0 }));
    expect(await read.licenseRefusals(many.slice(1))).toEqual([]);
    await expect(read.licenseRefusals(many)).rejects.toBeInstanceOf(RangeError);
  });
});
