import { expect, test } from "bun:test";
import { addLicense } from "../../../../tests/support/add-license.ts";
import { idsOf, onBothDatabases, pages, several } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { watched } from "../../../../tests/support/watched-queries.ts";
import { createLicenses } from "../licenses/create.ts";
import * as products from "../products/products.ts";
import * as queries from "./views.ts";
import { addCustomerView } from "./views.ts";

type Person = Partial<Record<"email" | "name" | "discordId" | "id", string>> & {
  readonly createdAt?: number;
};

onBothDatabases("the customers of an organization", (fixture) => {
  const { read, write } = fixture.queries({ ...queries, ...products });
  const add = async (organizationId: string, who: Person) => {
    const { email = null, name = null, discordId = null, createdAt = 1, id = newId() } = who;
    const identity = { id, organization_id: organizationId, email, discord_id: discordId, created_at: 1 };
    const view = { organization_id: organizationId, customer_id: id, email, name, discord_id: discordId };
    await fixture.write(async (db) => {
      await db.insertInto("customers").values(identity).execute();
      await addCustomerView(db, { ...view, created_at: createdAt, updated_at: createdAt });
    });
    return id;
  };
  /** An organization with a customer, and another one with a customer who has the same email address. */
  const two = async () => {
    const [ours, theirs] = [await fixture.organization(), await fixture.organization()];
    const email = `${newId()}@example.com`;
    return {
      ours: { ...ours, customerId: await add(ours.organizationId, { email, name: "Ours" }) },
      theirs: { ...theirs, customerId: await add(theirs.organizationId, { email, name: "Theirs" }) },
    };
  };

  test("customers are found by their ID in the organization only, also locked and several at once", async () => {
    const { ours, theirs } = await two();
    const { organizationId } = ours;
    expect(await read.customerOf(organizationId, ours.customerId)).toMatchObject({ name: "Ours" });
    expect(await read.customerOf(organizationId, theirs.customerId)).toBeUndefined();
    const locked = (id: string) => write.lockedCustomer(organizationId, id);
    expect(await locked(ours.customerId)).toMatchObject({ name: "Ours", updated_at: 1 });
    expect(await locked(theirs.customerId)).toBeUndefined();
    const both = await read.customersByIds(organizationId, [ours.customerId, theirs.customerId]);
    expect([...both.keys()]).toEqual([ours.customerId]);
    expect(await read.customersByIds(organizationId, [])).toEqual(new Map());
  });

  test("customers are recorded once, even by two transactions at the same moment", async () => {
    const { organizationId } = await fixture.organization();
    const id = await add(organizationId, { email: `${newId()}@example.com` });
    const again = { organization_id: organizationId, customer_id: id, email: null, name: "Again" };
    const view = { ...again, discord_id: null, created_at: 2, updated_at: 2 };
    expect(await write.addCustomerView(view)).toBe(false);
    await write.removeCustomerView(organizationId, id);
    const both = [1, 2].map(() => write.addCustomerView(view));
    expect((await Promise.all(both)).sort()).toEqual([false, true]);
  });

  test("customers are listed newest first, page by page, also those of one millisecond", async () => {
    const { organizationId } = await fixture.organization();
    await two();
    const ids = [newId(), newId(), newId(), newId()].sort();
    for (const [at, id] of ids.entries())
      await add(organizationId, { id, email: `${id}@example.com`, createdAt: at < 2 ? 5 : 9 });
    const found = await pages((last: { created_at: number; customer_id: string } | null) =>
      read.customersOf(organizationId, last && { createdAt: last.created_at, id: last.customer_id }, 2),
    );
    expect(found.map((page) => page.map((row) => row.customer_id))).toEqual([
      [ids[3] ?? "", ids[2] ?? ""],
      [ids[1] ?? "", ids[0] ?? ""],
    ]);
  });

  test("customers are found by the beginning of their text, page by page, with pattern characters as they are", async () => {
    const { organizationId } = await fixture.organization();
    for (const who of [{ email: "Ada@one.example" }, { email: "ada@two.example" }, { email: "b%@x.example" }])
      await add(organizationId, who);
    await add(organizationId, { discordId: "4242", name: "Ömer" });
    type Last = { search_text: string; customer_id: string } | null;
    const starting = async (text: string) => {
      const found = await pages((last: Last) => {
        const after = last && { text: last.search_text, id: last.customer_id };
        return read.customersStartingWith(organizationId, text, after, 1);
      });
      return found.flat().map((row) => row.search_text);
    };
    expect(await starting("ada@")).toEqual(["ada@one.example", "ada@two.example"]);
    expect(await starting("b%")).toEqual(["b%@x.example"]);
    expect(await starting("b_")).toEqual([]);
    expect(await starting("ömer")).toEqual(["ömer\n4242"]);
  });

  test("the licenses of a customer are counted by status, without those of deleted products", async () => {
    const { ours, theirs } = await two();
    const { organizationId, customerId } = ours;
    const deleted = await ours.product();
    const [active, expired] = [[{}, { expiresAtMs: 1_001 }, { termMs: 5 }], [{ expiresAtMs: 1_000 }]];
    const revoked = [{ revokedAtMs: 5 }, { revokedAtMs: 5, expiresAtMs: 5 }];
    for (const settings of [...active, ...expired, ...revoked, { productId: deleted.productId }])
      await ours.license({ customerId, ...settings });
    await theirs.license({ customerId: theirs.customerId });
    await write.deleteProduct(deleted.productId, 1);
    const counts = await read.statusCountsOf(organizationId, customerId, 1_000);
    expect(counts).toEqual({ active: 3, expired: 1, revoked: 2 });
    const all = await read.licenseCountsOf(organizationId, [customerId, theirs.customerId]);
    expect(all).toEqual(new Map([[customerId, 6]]));
    expect(await read.licenseCountsOf(organizationId, [])).toEqual(new Map());
  });

  test("thousands of licenses of one customer are counted in slices, by several statements", async () => {
    const { ours } = await two();
    const { organizationId, productId, customerId } = ours;
    const made = Array.from({ length: 2_100 }, (_, index) => ({
      ...{ id: newId(), key: newId(), organizationId, productId, customerId },
      ...(index < 3 ? { revokedAtMs: 1 } : {}),
      ...(index % 2 === 1 ? { expiresAtMs: 500 } : {}),
    }));
    await fixture.write((db) => createLicenses(db, made, Date.now()));
    const watching = watched(fixture.store);
    const { reads } = watching.store;
    expect(await queries.licenseCountsOf(reads, organizationId, [newId(), customerId])).toEqual(
      new Map([[customerId, 2_100]]),
    );
    const counts = await queries.statusCountsOf(reads, organizationId, customerId, 1_000);
    expect(counts).toEqual({ active: 1_048, expired: 1_049, revoked: 3 });
    expect(await queries.customerLastSeen(reads, organizationId, customerId)).toBeNull();
    const texts = (await watching.plans()).map(({ text }) => text);
    for (const text of texts)
      if (text.includes('from "licenses"')) expect(text).toMatch(/ limit (?:\?|\$\d+)$/);
  });

  test("the licenses of a customer are listed by ID, page by page; those of deleted products only as IDs", async () => {
    const { ours } = await two();
    const { organizationId, customerId } = ours;
    const deleted = await ours.product();
    const ids = idsOf(await several(3, () => ours.license({ customerId })));
    const gone = await ours.license({ customerId, productId: deleted.productId });
    await write.deleteProduct(deleted.productId, 1);
    await ours.license();
    ids.sort();
    const page = async (afterId: string | null) =>
      idsOf(await read.licensesOfCustomer(organizationId, customerId, { afterId, limit: 2 }));
    expect([await page(null), await page(ids[1] ?? "")]).toEqual([ids.slice(0, 2), ids.slice(2)]);
    const all = [...ids, gone.id].sort();
    expect(await read.licenseIdsOfCustomer(organizationId, customerId)).toEqual(all);
    const some = await read.someLicenseIdsOfCustomer(organizationId, customerId, 2);
    expect(some).toEqual(all.slice(0, 2));
  });

  test("a customer was last seen at the latest use of any of their licenses", async () => {
    const { ours } = await two();
    const { organizationId, productId, customerId } = ours;
    const lastSeen = () => read.customerLastSeen(organizationId, customerId);
    const [first, second] = [await ours.license({ customerId }), await ours.license({ customerId })];
    const other = await ours.license();
    expect(await lastSeen()).toBeNull();
    const nowMs = Date.now();
    const use = ({ id }: { id: string }, at: number) => ({
      ...{ at, license_id: id, organization_id: organizationId, product_id: productId, tracked: true },
    });
    await fixture.log([use(first, nowMs - 9_000), use(second, nowMs - 10_000), use(other, nowMs)]);
    expect(await lastSeen()).toBe(nowMs - 9_000);
    const { store, plans } = watched(fixture.store);
    await queries.customerLastSeen(store.reads, organizationId, customerId);
    const ofLicenses = (await plans()).filter(({ text }) => text.includes('from "licenses"'));
    expect(ofLicenses).toHaveLength(1);
    // The licenses themselves are not read: one customer can have hundreds of thousands.
    if (fixture.kind === "sqlite")
      expect(ofLicenses[0]?.plan).toMatch(/COVERING INDEX licenses_by_customer[^\n]*id>\?\)$/);
  });

  test("licenses are moved if they are still the former customer's and in this organization", async () => {
    const { ours, theirs } = await two();
    const to = await add(ours.organizationId, { email: "to@example.com" });
    const { id: mine } = await addLicense(ours, { customerId: ours.customerId });
    const { id: taken } = await addLicense(ours, { customerId: to });
    const { id: foreign } = await addLicense(theirs, { customerId: theirs.customerId });
    const asked = [mine, taken, foreign];
    const moved = await write.moveLicenses(
      ours.organizationId,
      { fromId: ours.customerId, toId: to },
      asked,
      1,
    );
    expect(moved).toBe(1);
    const row = await fixture.row("licenses", { id: mine });
    expect(row.customer_id).toBe(to);
    // A change always gets a later time, even if the clock is behind.
    expect(row.updated_at).toBeGreaterThan(row.created_at);
    expect(await read.licenseIdsOfCustomer(theirs.organizationId, theirs.customerId)).toEqual([foreign]);
  });

  test("customers are changed and removed in one organization only, with what they are searched by", async () => {
    const { ours, theirs } = await two();
    const { organizationId, customerId } = ours;
    const before = await read.customerOf(theirs.organizationId, theirs.customerId);
    const view = { organization_id: organizationId, customer_id: customerId, email: null, name: "Zephyrine" };
    await write.writeCustomerView({ ...view, discord_id: "99", created_at: 1, updated_at: 2 });
    const changed = await read.customerOf(organizationId, customerId);
    expect(changed).toMatchObject({ ...view, search_text: "zephyrine\n99" });
    await write.removeCustomerView(organizationId, customerId);
    expect(await read.customerOf(organizationId, customerId)).toBeUndefined();
    expect(await read.customerOf(theirs.organizationId, theirs.customerId)).toEqual(before);
  });
});
