import { expect, test } from "bun:test";
import { sql } from "kysely";
import { onBothDatabases, several } from "../../../../tests/support/query-tests.ts";
import { newId, type TestOrganization } from "../../../../tests/support/test-organization.ts";
import { watched } from "../../../../tests/support/watched-queries.ts";
import { licenseRow } from "../licenses/create.ts";
import * as queries from "./license-list.ts";
import { maxPerSeller, type PortalPosition, portalLicensePage } from "./license-list.ts";
import { type ProvenIdentities, portalLicensesByKey } from "./licenses.ts";

const newEmail = () => `${newId()}@example.com`;
const newDiscordId = () => String(100_000_000_000_000_000n + BigInt(Math.floor(Math.random() * 1e15)));
const withEmail = (email: string): ProvenIdentities => ({ emails: [email], discordIds: [] });

onBothDatabases("license lists of the portal", (fixture) => {
  const { read } = fixture.queries(queries);
  const threeSellers = () => several(3, () => fixture.organization());

  /** New licenses of a customer, oldest first. */
  async function give(
    of: Pick<TestOrganization, "organizationId" | "productId">,
    who: { email?: string; discordId?: string },
    count = 1,
  ): Promise<string[]> {
    const ids = Array.from({ length: count }, newId);
    const { organizationId, productId } = of;
    const customerId = await fixture.customer(organizationId, who);
    const rows = ids.map((id) =>
      licenseRow({ id, key: `KEY-${id}`, organizationId, productId, customerId }, Date.now()),
    );
    for (let start = 0; start < count; start += 1_000)
      await fixture.write((db) =>
        fixture.store.bulk.insert(db, "licenses", rows.slice(start, start + 1_000)),
      );
    return ids;
  }

  /** The IDs on every page, of one seller or all. */
  async function everyPage(who: ProvenIdentities, limit: number, organizationId: string | null = null) {
    const pages: (readonly string[])[] = [];
    for (let next: PortalPosition | null = null; ; ) {
      const page: Awaited<ReturnType<typeof portalLicensePage>> =
        organizationId === null
          ? await read.portalLicensePage(who, next, limit)
          : await read.portalLicensePageOfSeller(who, organizationId, next?.licenseId ?? null, limit);
      pages.push(page.ids);
      expect(page.ids.length).toBeLessThanOrEqual(limit);
      if (page.next === null) return pages;
      expect(pages.length).toBeLessThan(100);
      next = page.next;
    }
  }

  test("the list has the licenses of all sellers, each seller's together and the newest first, and nobody else's", async () => {
    const [a, b] = [await fixture.organization(), await fixture.organization()];
    const email = newEmail();
    const [first] = await give(a, { email: email.toUpperCase() });
    const [other] = await give(b, { email });
    const [second] = await give(a, { email });
    await give(a, { email: newEmail() });
    const { ids, next, sellersWithMore } = await read.portalLicensePage(withEmail(email), null, 50);
    expect([next, sellersWithMore]).toEqual([null, []]);
    // Sellers are in the order of their IDs.
    expect(ids).toEqual([second, first, other] as string[]);
    expect((await read.portalLicensePage(withEmail(newEmail()), null, 50)).ids).toEqual([]);
  });

  test("a seller who gives a person many licenses hides those of no other seller", async () => {
    const email = newEmail();
    const who = withEmail(email);
    const [a, b, c] = await threeSellers();
    const flood = await give(a, { email }, 300);
    const wanted = [...(await give(b, { email })), ...(await give(c, { email }, 2))];
    const { ids, sellersWithMore } = await read.portalLicensePage(who, null, 50);
    expect([...ids]).toEqual(expect.arrayContaining(wanted));
    expect(ids).toHaveLength(maxPerSeller + 3);
    expect(sellersWithMore).toEqual([a.organizationId]);
    // In pages of any size: as many of each seller first, then the rest, and none twice.
    for (const limit of [7, 100]) {
      const all = (await everyPage(who, limit)).flat();
      expect(all.slice(0, maxPerSeller + 3)).toEqual([...ids]);
      expect(all.slice(maxPerSeller + 3)).toEqual(flood.toReversed().slice(maxPerSeller));
    }
    const pages = await everyPage(who, 100, a.organizationId);
    expect(pages.flat()).toEqual(flood.toReversed());
    expect(pages).toHaveLength(3);
  });

  test("the list of one seller has nobody else's licenses, and none of a seller who sold nothing to the person", async () => {
    const [a, b] = [await fixture.organization(), await fixture.organization()];
    const email = newEmail();
    const mine = await give(a, { email });
    await give(b, { email: newEmail() });
    for (const [organizationId, expected] of [
      [a.organizationId, mine],
      [b.organizationId, []],
      ["nonsense", []],
    ] as const)
      expect(await everyPage(withEmail(email), 50, organizationId)).toEqual([[...expected]]);
  });

  test("the list omits hidden and deleted products, and continues after more hidden licenses than a page reads", async () => {
    const seller = await fixture.organization();
    const [hidden, deleted] = [await seller.product({ portal_enabled: 0 }), await seller.product()];
    const email = newEmail();
    const who = withEmail(email);
    const visible = await give(seller, { email }, 2);
    await give({ ...seller, ...hidden }, { email }, 450);
    await give({ ...seller, ...deleted }, { email });
    const setProduct = ({ productId }: { productId: string }, columns: object) =>
      fixture.change("products", productId, columns);
    await setProduct(deleted, { deleted_at: 1 });
    expect(await read.portalLicensePage(who, null, 50)).toMatchObject({
      ids: [],
      sellersWithMore: [seller.organizationId],
    });
    for (const organizationId of [null, seller.organizationId])
      expect((await everyPage(who, 50, organizationId)).flat()).toEqual(visible.toReversed());
    await setProduct(hidden, { portal_enabled: 1 });
    expect((await read.portalLicensePage(who, null, 50)).ids).toHaveLength(maxPerSeller);
    await fixture.change("organizations", seller.organizationId, { deleted_at: 1 });
    expect((await everyPage(who, 50)).flat()).toEqual([]);
  });

  test("the list misses and repeats nothing of a person with two identities, some of whose licenses are hidden", async () => {
    const seller = await fixture.organization();
    const hidden = { ...seller, ...(await seller.product({ portal_enabled: 0 })) };
    const [email, discordId] = [newEmail(), newDiscordId()];
    const visible: string[] = [];
    // The pattern has runs of each customer, of hidden and of visible ones.
    for (const [turn, letter] of [..."aabBbAAaabbBBBBBaAabAAAAAbbbbaaaaBABAabab"].entries()) {
      const isHidden = letter === letter.toUpperCase();
      const customer = letter.toLowerCase() === "a" ? { email } : { discordId };
      const ids = await give(isHidden ? hidden : seller, customer, 1 + (turn % 2));
      if (!isHidden) visible.push(...ids);
    }
    const who = { emails: [email], discordIds: [discordId] };
    for (const organizationId of [null, seller.organizationId]) {
      for (const limit of [1, 3, 50])
        expect((await everyPage(who, limit, organizationId)).flat()).toEqual(visible.toReversed());
    }
  });

  test("the list misses and repeats no seller of a person who bought from more sellers than are read at once", async () => {
    const [email, discordId] = [newEmail(), newDiscordId()];
    const expected: string[] = [];
    for (let count = 0; count < 60; count++) {
      const seller = await fixture.organization();
      const ids = await give(seller, { email });
      if (count % 5 === 4) ids.push(...(await give(seller, { discordId })));
      expected.push(...ids.toReversed());
    }
    const who = { emails: [email], discordIds: [discordId] };
    for (const limit of [1, 7, 60, 71, 72, 200]) {
      const pages = await everyPage(who, limit);
      expect(pages.flat()).toEqual(expected);
      expect(pages).toHaveLength(Math.ceil(expected.length / limit));
    }
  });

  test("the list reads indexes only, and as much for thousands of licenses as for a few", async () => {
    const email = newEmail();
    const sellers = await threeSellers();
    for (const [at, seller] of sellers.entries()) await give(seller, { email }, at === 0 ? 5_000 : 1);
    const of = { organization_id: sellers[0].organizationId, discord_id: null, created_at: 1 };
    const someone = () => ({ id: newId(), email: newEmail(), ...of });
    const others = Array.from({ length: 2_000 }, someone);
    await fixture.write((db) => fixture.store.bulk.insert(db, "customers", others));
    if (fixture.kind === "postgres") await sql`analyze licenses, customers`.execute(fixture.reads);
    const { store, plans, count } = watched(fixture.store);
    const who = { emails: [email], discordIds: [newDiscordId()] };
    const page = await portalLicensePage(store.reads, who, null, 50);
    expect(page.ids).toHaveLength(maxPerSeller + 2);
    await portalLicensePage(store.reads, who, page.next, 50);
    await portalLicensesByKey(store.reads, "NOTHING", who);
    expect(count()).toBeLessThan(30);
    const [wholeTable, sort] =
      fixture.kind === "sqlite"
        ? [/SCAN (licenses|customers|products|organizations)\b/, /USE TEMP B-TREE/]
        : [/Seq Scan on (licenses|customers)\b/, /Sort/];
    for (const { text, plan } of await plans()) {
      expect([text, plan]).toEqual([text, expect.not.stringMatching(wholeTable)]);
      if (!text.includes("with_key")) expect([text, plan]).toEqual([text, expect.not.stringMatching(sort)]);
    }
  }, 60_000);
});
