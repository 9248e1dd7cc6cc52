import { beforeAll, expect, test } from "bun:test";
import { dayMs } from "@countersign/domain/dates/lengths";
import { searchWords } from "@countersign/domain/licenses/search-text";
import { idsOf, onBothDatabases, several } from "../../../../tests/support/query-tests.ts";
import { newId, type TestOrganization } from "../../../../tests/support/test-organization.ts";
import { deleting } from "./changes.ts";
import { countLicenses } from "./count-filtered.ts";
import { createLicenses, type NewLicense, registerIp } from "./create.ts";
import { everyLicenseOf, type LicenseFilter } from "./filter.ts";
import { type LicensePage, licenseBatches, licensePage } from "./list.ts";
import type { LicenseOrder, Position } from "./scan.ts";
import * as views from "./views.ts";

const nowMs = Date.UTC(2030, 0, 1);
const newestFirst: LicenseOrder = { by: "created_at", descending: true };
const orders: LicenseOrder[] = (["created_at", "expires_at", "updated_at"] as const).flatMap((by) =>
  [true, false].map((descending) => ({ by, descending })),
);

onBothDatabases("the list of licenses", (fixture) => {
  const { read } = fixture.queries(views);
  let own: TestOrganization;
  let otherProductId: string;
  let foreignProductId: string;
  let customerId: string | null;
  /** By name. */
  const ids = new Map<string, string>();

  const fill = async (org: TestOrganization, productId: string, otherId: string) => {
    const { organizationId } = org;
    const customer = await fixture.customer(organizationId, { email: "later@example.com" });
    const notes = "Paid 100% by Ada_Lovelace";
    const settings: Record<string, Partial<NewLicense>> = {
      plain: { firstUsedAtMs: 1 },
      expired: { expiresAtMs: nowMs },
      soon: { expiresAtMs: nowMs + 7 * dayMs, tags: ["VIP", "beta"] },
      later: { expiresAtMs: nowMs + 30 * dayMs, notes, maxIps: 2, customerId: customer },
      term: { termMs: 60_000 },
      revoked: { expiresAtMs: nowMs - dayMs, revokedAtMs: 1 },
      elsewhere: { tags: ["VIP"], productId: otherId },
    };
    const texts: Record<string, string> = { later: notes.toLowerCase(), term: "žofie nováková" };
    const licenses = Object.entries(settings).map(([name, columns], index) => ({
      ...{ id: newId(), organizationId, productId, customerId: null, key: `key-${name}` },
      createdAtMs: nowMs - 9_000 + index,
      searchText: `key${name}\n${name}@example.com\n${texts[name] ?? ""}`,
      ...columns,
    }));
    await fixture.write(async (db) => {
      // Each was changed at another time, in another order.
      for (const [index, license] of licenses.entries())
        await createLicenses(db, [license], nowMs + ((index * 3) % 7));
      for (const ip of ["203.0.113.1", "203.0.113.2"]) await registerIp(db, licenses[3]?.id ?? "", ip, 1);
    });
    return licenses;
  };

  beforeAll(async () => {
    own = await fixture.organization();
    otherProductId = (await own.product()).productId;
    const licenses = await fill(own, own.productId, otherProductId);
    for (const { id, key } of licenses) ids.set(key.replace("key-", ""), id);
    customerId = licenses[3]?.customerId ?? null;
    // Another organization and a deleted product have the same licenses.
    const foreign = await fixture.organization();
    foreignProductId = foreign.productId;
    await fill(foreign, foreignProductId, foreignProductId);
    const { productId: deletedId } = await own.product();
    await fill(own, deletedId, deletedId);
    await fixture.change("products", deletedId, { deleted_at: 1 });
  }, 60_000);

  const filterOf = (given: Partial<LicenseFilter>) => ({ ...everyLicenseOf(own.organizationId), ...given });
  const pageOf = (
    given: Partial<LicenseFilter>,
    order: LicenseOrder,
    after: Position | null,
    limit: number,
  ) => licensePage(fixture.store, { filter: filterOf(given), order, nowMs }, after, limit);
  const walk = async (filter: Partial<LicenseFilter>, order: LicenseOrder, limit: number) => {
    const walked: string[] = [];
    for (let after: Position | null = null; ; ) {
      const page: LicensePage = await pageOf(filter, order, after, limit);
      walked.push(...page.ids);
      if (page.next === null) return walked;
      after = page.next;
    }
  };
  const named = (some: readonly string[]) =>
    some.map((id) => [...ids].find(([, known]) => known === id)?.[0] ?? id);

  const all = ["elsewhere", "revoked", "term", "later", "soon", "expired", "plain"];
  const containing = (text: string) => () => ({ words: searchWords(text) });
  const filters: [what: string, filter: () => Partial<LicenseFilter>, found: string[]][] = [
    ["nothing", () => ({}), all],
    ["a product", () => ({ productId: otherProductId }), ["elsewhere"]],
    ["another organization's product", () => ({ productId: foreignProductId, status: "active" }), []],
    ["a customer", () => ({ customerId }), ["later"]],
    ["active", () => ({ status: "active" }), ["elsewhere", "term", "later", "soon", "plain"]],
    ["expired", () => ({ status: "expired" }), ["expired"]],
    ["revoked", () => ({ status: "revoked" }), ["revoked"]],
    ["a tag", () => ({ tag: "VIP" }), ["elsewhere", "soon"]],
    ["a tag in another case", () => ({ tag: "vip" }), []],
    ["an expiry before the next", () => ({ expiresByMs: nowMs + 7 * dayMs - 1 }), []],
    ["an expiry until the next", () => ({ expiresByMs: nowMs + 7 * dayMs }), ["soon"]],
    ["used", () => ({ neverUsed: false }), ["plain"]],
    ["never used", () => ({ neverUsed: true }), all.slice(0, -1)],
    ["two IP addresses", () => ({ minIps: 2 }), ["later"]],
    ["notes", () => ({ hasNotes: true }), ["later"]],
    ["no notes", () => ({ hasNotes: false }), all.filter((name) => name !== "later")],
    ["a part of a key", containing("EY-so"), ["soon"]],
    ["words in any order and case", containing("nováková ŽOFIE"), ["term"]],
    ["notes with an underscore", containing("ada_love"), ["later"]],
    ["notes with a percent sign", containing("100% by"), ["later"]],
    ["an underscore that stands for no other character", containing("adaxlove"), []],
    ["quotes", containing("\"';"), []],
    ["what all have", containing("example.com"), all],
    ["several at once", () => ({ words: ["example"], status: "active", tag: "VIP" }), ["elsewhere", "soon"]],
  ];
  test.each(filters)("orders, pages and counts agree when filtered by %s", async (_, filter, found) => {
    expect(named((await pageOf(filter(), newestFirst, null, 100)).ids)).toEqual(found);
    const matching = await read.licenseViews(found.map((name) => ids.get(name) ?? ""));
    for (const { by, descending } of orders) {
      const sorted = matching.toSorted((one, other) => {
        const [a, b] = [one, other].map((view) => view[by] ?? Number.MAX_SAFE_INTEGER) as [number, number];
        return (a - b || (one.id < other.id ? -1 : 1)) * (descending ? -1 : 1);
      });
      expect(named(await walk(filter(), { by, descending }, 1))).toEqual(named(idsOf(sorted)));
    }
    const counted = await countLicenses(fixture.store, filterOf(filter()), nowMs, { timeoutMs: 60_000 });
    expect(counted).toEqual({ count: found.length, exact: true });
  });

  test("batches contain every license once, the oldest first", async () => {
    const parts = await Array.fromAsync(licenseBatches(fixture.store, filterOf({}), null, 3, nowMs));
    const batches = parts.map(({ ids: some }) => named(some));
    expect(batches.map((batch) => batch.length)).toEqual([3, 3, 1]);
    expect(batches.flat()).toEqual(all.toReversed());
  });

  test("pages neither repeat nor omit licenses while others are created and deleted", async () => {
    const { productId } = await own.product();
    const create = async (count: number) => idsOf(await several(count, () => own.license({ productId })));
    const before = await create(60);
    const removed = before.filter((_, index) => index % 10 === 5);
    const seen: string[] = [];
    let after: Position | null = null;
    for (let page = 0; page === 0 || after !== null; page++) {
      const found: LicensePage = await pageOf({ productId }, newestFirst, after, 7);
      seen.push(...found.ids);
      after = found.next;
      if (page !== 2) continue;
      await create(10);
      await fixture.write(async (db) => deleting().apply(db, await views.licenseViews(db, removed)));
    }
    expect(new Set(seen).size).toBe(seen.length);
    const stayed = before.filter((id) => !removed.includes(id));
    expect(stayed.filter((id) => !seen.includes(id))).toEqual([]);
  });
});
