import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { dayMs } from "@countersign/domain/dates/lengths";
import { customerFor } from "@countersign/store/queries/customers/identify";
import { createLicenses } from "@countersign/store/queries/licenses/create";
import { closeOrganization } from "@countersign/store/queries/organizations/remove";
import { mostPerSeller, portalLicensePage } from "@countersign/store/queries/portal/license-list";
import { portalLicensesByKey } from "@countersign/store/queries/portal/licenses";
import type { Store } from "@countersign/store/store";
import { CompiledQuery, type RootOperationNode, sql } from "kysely";
import { addLicense } from "../support/add-license.ts";
import { databases } from "../support/databases.ts";
import type { ManageFixture } from "../support/manage-fixture.ts";
import { openPortalServer, type PortalCustomer, portalCustomer } from "../support/signed-in-customer.ts";
import { newId, openTestOrganization } from "../support/test-organization.ts";
import { until } from "../support/until.ts";

describe.each(databases)("a customer's licenses on $kind", ({ kind, make }) => {
  let fixture: ManageFixture;
  beforeAll(async () => {
    fixture = await openPortalServer(make);
  });
  afterAll(() => fixture.close());

  const newEmail = () => `${newId()}@example.com`;
  const newDiscordId = () => String(100_000_000_000_000_000n + BigInt(Math.floor(Math.random() * 1e15)));

  /** Another organization with a product. */
  async function seller(settings: object = {}) {
    const owner = await fixture.person();
    const organization = await owner.api.post("/organizations", { name: "Seller" });
    const organizationId = String(organization.body.id);
    const product = await owner.api.post(`/organizations/${organizationId}/products`, {
      name: "Plugin",
      ...settings,
    });
    const productId = String(product.body.id);
    return { ...fixture, owner, organizationId, productId, apiKey: String(product.body.api_key) };
  }
  const signedIn = (email: string, ip = "198.51.100.1") =>
    portalCustomer(fixture, { emails: [email] }, { ip });
  const idsOf = (data: readonly { id: string }[]) => data.map(({ id }) => id);
  async function everyPage(customer: PortalCustomer, query: string) {
    const pages: string[][] = [];
    for (let cursor = ""; ; ) {
      const { status, body } = await customer.get(`/licenses?${query}${cursor}`);
      expect(status).toBe(200);
      pages.push(idsOf(body.data));
      if (body.next_cursor === null) return pages;
      expect(pages.length).toBeLessThan(100);
      cursor = `&cursor=${body.next_cursor}`;
    }
  }
  async function give(
    at: { organizationId: string; productId: string },
    who: { email?: string; discordId?: string },
    count: number,
  ): Promise<string[]> {
    const ids = Array.from({ length: count }, () => newId());
    await fixture.store.transaction(async (db) => {
      const customer = { email: null, discordId: null, name: null, ...who };
      const customerId = await customerFor(db, at.organizationId, customer, newId, Date.now());
      for (let start = 0; start < count; start += 500) {
        await createLicenses(
          db,
          ids.slice(start, start + 500).map((id) => ({
            id,
            key: `KEY-${id}`,
            organizationId: at.organizationId,
            productId: at.productId,
            customerId,
            maxIps: 1,
          })),
          Date.now(),
        );
      }
    });
    return ids;
  }

  describe("the list", () => {
    test("has those of all sellers, each seller's together, the newest first", async () => {
      const [a, b] = [await seller(), await seller()];
      const email = newEmail();
      const first = await addLicense(a, { customer: { email: email.toUpperCase() } });
      const other = await addLicense(b, { customer: { email } });
      const second = await addLicense(a, { customer: { email } });
      await addLicense(a, { customer: { email: newEmail() } });
      const customer = await signedIn(email);
      const { body } = await customer.get("/licenses");
      expect(body).toMatchObject({ next_cursor: null, sellers_with_more: [] });
      const expected = [
        [a.organizationId, second.id, first.id],
        [b.organizationId, other.id],
      ].sort(([x = ""], [y = ""]) => (x < y ? -1 : 1));
      expect(idsOf(body.data)).toEqual(expected.flatMap(([, ...ids]) => ids));
      expect(body.data[0]).toMatchObject({
        seller: { name: "Seller", logo_url: null, links: [], is_suspended: false },
        product: { name: "Plugin", status: "active" },
        status: "active",
        is_lifetime: true,
        days_left: null,
        has_pending_transfer: false,
      });
      expect(JSON.stringify(body)).not.toContain(first.key);
    });

    test("is empty for someone without licenses", async () => {
      const { body } = await (await signedIn(newEmail())).get("/licenses");
      expect(body).toEqual({ data: [], next_cursor: null, sellers_with_more: [] });
    });

    test("has the same licenses in the same order, however small the pages", async () => {
      const email = newEmail();
      const discordId = newDiscordId();
      const sellers = await Promise.all([seller(), seller(), seller()]);
      for (const at of sellers) {
        // Two customers of each seller are the same person, with licenses in turns.
        for (let times = 0; times < 3; times++) {
          await give(at, { email }, 2);
          await give(at, { discordId }, 1);
        }
      }
      const customer = await portalCustomer(fixture, { emails: [email], discordIds: [discordId] });
      const [all = []] = await everyPage(customer, "limit=100");
      expect(new Set(all).size).toBe(27);
      for (const limit of [1, 2, 5, 9, 10, 26, 27]) {
        const pages = await everyPage(customer, `limit=${limit}`);
        expect(pages.flat()).toEqual(all);
        expect(pages).toHaveLength(Math.ceil(27 / limit));
      }
    });

    test("shows other sellers however many licenses one of them gives", async () => {
      const email = newEmail();
      const [a, b, c] = await Promise.all([seller(), seller(), seller()]);
      const flood = await give(a, { email }, 300);
      const wanted = [...(await give(b, { email }, 1)), ...(await give(c, { email }, 2))];
      const customer = await signedIn(email);
      const { body } = await customer.get("/licenses?limit=50");
      expect(idsOf(body.data)).toEqual(expect.arrayContaining(wanted));
      expect(body.data).toHaveLength(mostPerSeller + 3);
      expect(body.sellers_with_more).toMatchObject([{ organization_id: a.organizationId, name: "Seller" }]);
      // In pages of any size: as many of each seller first, then the rest, and none twice.
      for (const limit of [7, 100]) {
        const all = (await everyPage(customer, `limit=${limit}`)).flat();
        expect(all.slice(0, mostPerSeller + 3)).toEqual(idsOf(body.data));
        expect(all.slice(mostPerSeller + 3)).toEqual(flood.toReversed().slice(mostPerSeller));
      }
      const pages = await everyPage(customer, `organization_id=${a.organizationId}&limit=100`);
      expect(pages.flat()).toEqual(flood.toReversed());
      expect(pages).toHaveLength(3);
    });

    test("of one seller has no one else's, and nothing of a seller that sold nothing to the person", async () => {
      const [a, b] = [await seller(), await seller()];
      const email = newEmail();
      const mine = await addLicense(a, { customer: { email } });
      await addLicense(b, { customer: { email: newEmail() } });
      const customer = await signedIn(email);
      const of = async (id: string) => (await customer.get(`/licenses?organization_id=${id}`)).body.data;
      expect(idsOf(await of(a.organizationId))).toEqual([mine.id]);
      expect(await of(b.organizationId)).toEqual([]);
      expect(await of("nonsense")).toEqual([]);
    });

    test("rejects cursors that it did not write", async () => {
      const customer = await signedIn(newEmail());
      const of = (values: unknown) => Buffer.from(JSON.stringify(values)).toString("base64url");
      for (const cursor of [
        "nonsense",
        of([]),
        of(["newest", "a", "b", -1, 0]),
        of(["newest", "a", 1, 1, 0]),
        of(["newest", "a\u0000", "", 1, 0]),
      ]) {
        const { status, body } = await customer.get(`/licenses?cursor=${cursor}`);
        expect([status, body.errors?.[0]?.code]).toEqual([422, "invalid_cursor"]);
      }
      const other = await customer.get(`/licenses?organization_id=b&cursor=${of(["rest", "a", "", 0, 1])}`);
      expect(other.status).toBe(422);
      expect(
        (await customer.get(`/licenses?cursor=${of(["newest", "a", "b", 1_000, 0])}`)).body.data,
      ).toEqual([]);
    });

    test("leaves out hidden and deleted products, and goes on behind many hidden licenses", async () => {
      const at = await seller();
      const email = newEmail();
      const hidden = await at.owner.api.post(`/organizations/${at.organizationId}/products`, {
        name: "Hidden",
        portal_enabled: false,
      });
      const gone = await at.owner.api.post(`/organizations/${at.organizationId}/products`, { name: "Gone" });
      const visible = await give(at, { email }, 2);
      await give({ ...at, productId: hidden.body.id }, { email }, 450);
      await give({ ...at, productId: gone.body.id }, { email }, 1);
      await at.owner.api.delete(`/products/${gone.body.id}`);
      const customer = await signedIn(email);
      const overview = await customer.get("/licenses");
      expect(overview.body.data).toEqual([]);
      expect(overview.body.sellers_with_more).toMatchObject([{ organization_id: at.organizationId }]);
      for (const query of [`organization_id=${at.organizationId}`, "limit=50"])
        expect((await everyPage(customer, query)).flat()).toEqual(visible.toReversed());
      await at.owner.api.patch(`/products/${hidden.body.id}`, { portal_enabled: true });
      expect((await customer.get("/licenses")).body.data).toHaveLength(mostPerSeller);
    });

    test("misses and repeats nothing of a person with two identities, some of whose licenses are hidden", async () => {
      const at = await seller();
      const hidden = await at.owner.api.post(`/organizations/${at.organizationId}/products`, {
        name: "Hidden",
        portal_enabled: false,
      });
      const who = [{ email: newEmail() }, { discordId: newDiscordId() }];
      const visible: string[] = [];
      // The pattern has runs of each customer, of hidden and of visible ones.
      for (const [turn, letter] of [..."aabBbAAaabbBBBBBaAabAAAAAbbbbaaaaBABAabab"].entries()) {
        const isHidden = letter === letter.toUpperCase();
        const customer = who[letter.toLowerCase() === "a" ? 0 : 1] ?? {};
        const productId = isHidden ? hidden.body.id : at.productId;
        const ids = await give({ ...at, productId }, customer, 1 + (turn % 2));
        if (!isHidden) visible.push(...ids);
      }
      const customer = await portalCustomer(fixture, {
        emails: [who[0]?.email ?? ""],
        discordIds: [who[1]?.discordId ?? ""],
      });
      for (const limit of [1, 2, 3, 50]) {
        const pages = await everyPage(customer, `organization_id=${at.organizationId}&limit=${limit}`);
        expect(pages.flat()).toEqual(visible.toReversed());
      }
      for (const limit of [1, 4, 50])
        expect((await everyPage(customer, `limit=${limit}`)).flat()).toEqual(visible.toReversed());
    });

    test("misses and repeats no seller of a person who bought from many", async () => {
      const email = newEmail();
      const discordId = newDiscordId();
      const sellers: { organizationId: string; productId: string }[] = [];
      for (let count = 0; count < 60; count++)
        sellers.push(await openTestOrganization(fixture.database.location, { store: fixture.store }));
      const expected: string[][] = [];
      for (const [at, one] of sellers.entries()) {
        const ids = await give(one, { email }, 1);
        if (at % 5 === 4) ids.push(...(await give(one, { discordId }, 1)));
        expected.push(ids.toReversed());
      }
      const customer = await portalCustomer(fixture, { emails: [email], discordIds: [discordId] });
      for (const limit of [7, 60, 200])
        expect((await everyPage(customer, `limit=${limit}`)).flat()).toEqual(expected.flat());
    });

    test("reads indexes only, and as much for 20,000 licenses as for a few", async () => {
      const email = newEmail();
      const at = await seller();
      const others = await Promise.all([seller(), seller()]);
      await give(at, { email }, 20_000);
      for (const other of others) await give(other, { email }, 1);
      await addCustomers(at.organizationId, 5_000);
      if (kind === "postgres") await sql`analyze licenses, customers`.execute(fixture.store.reads);
      const { store, plans, count } = watched(fixture.store);
      const who = { emails: [email], discordIds: [newDiscordId()] };
      const page = await portalLicensePage(store.reads, who, null, 50);
      expect(page.ids).toHaveLength(mostPerSeller + 2);
      await portalLicensePage(store.reads, who, page.next, 50);
      await portalLicensesByKey(store.reads, "NOTHING", who);
      expect(count()).toBeLessThan(30);
      for (const { text, plan } of await plans()) {
        const whole =
          kind === "sqlite"
            ? /SCAN (licenses|customers|products|organizations)\b/
            : /Seq Scan on (licenses|customers)\b/;
        expect(whole.test(plan) ? `${text}\n${plan}` : "").toBe("");
        const sorts = kind === "sqlite" ? /USE TEMP B-TREE/ : /Sort/;
        expect(sorts.test(plan) && !text.includes("with_key") ? `${text}\n${plan}` : "").toBe("");
      }
    }, 120_000);
  });

  describe("whose a license is", () => {
    test("an email address beside which a seller wrote a Discord ID gives its owner nothing", async () => {
      const at = await seller();
      const victim = newEmail();
      const attacker = newDiscordId();
      const license = await addLicense(at, { customer: { email: victim, discordId: attacker } });
      const other = await seller();
      const sold = await addLicense(other, { customer: { email: victim } });
      const byDiscord = await portalCustomer(fixture, { discordIds: [attacker] });
      expect((await byDiscord.get("/licenses")).body.data).toEqual([]);
      for (const { id, key } of [license, sold]) {
        expect((await byDiscord.get(`/licenses/${id}`)).status).toBe(404);
        expect((await byDiscord.post("/licenses/find", { license_key: key })).body.data).toEqual([]);
        expect((await byDiscord.post(`/licenses/${id}/reveal-key`)).status).toBe(404);
      }
      // The victim sees what belongs to the email address, and nothing about the Discord ID.
      const byEmail = await signedIn(victim);
      const { body, text } = await byEmail.get("/licenses");
      expect(idsOf(body.data).toSorted()).toEqual([license.id, sold.id].toSorted());
      expect(text).not.toContain(attacker);
      const shown = await byEmail.get(`/licenses/${license.id}`);
      expect(shown.text).not.toContain(attacker);
    });

    test("a Discord ID alone identifies a customer without an email address", async () => {
      const at = await seller();
      const discordId = newDiscordId();
      const license = await addLicense(at, { customer: { discordId } });
      const customer = await portalCustomer(fixture, { discordIds: [discordId] });
      expect(idsOf((await customer.get("/licenses")).body.data)).toEqual([license.id]);
      const asEmail = await portalCustomer(fixture, { emails: [discordId] });
      expect((await asEmail.get("/licenses")).body.data).toEqual([]);
    });

    test("the same email address at another seller shows that seller's license to the same person only", async () => {
      const [a, b] = [await seller(), await seller()];
      const email = newEmail();
      const license = await addLicense(a, { customer: { email, name: "Known to A" } });
      const other = await addLicense(b, { customer: { email, name: "Known to B" } });
      const customer = await signedIn(email);
      await customer.post(`/licenses/${license.id}/reveal-key`);
      const logOf = async ({ owner, organizationId }: typeof a) =>
        (await owner.api.get(`/organizations/${organizationId}/audit-log?action=license.key_revealed`)).body
          .data;
      expect(await logOf(a)).toMatchObject([{ actor: { kind: "customer", name: "Known to A" } }]);
      expect(await logOf(b)).toEqual([]);
      expect(JSON.stringify(await logOf(a))).not.toContain(customer.personId);
      expect((await customer.get(`/licenses/${other.id}`)).text).not.toContain("Known to");
    });

    test("a license that was given to someone else disappears at once, and appears there", async () => {
      const at = await seller();
      const [email, next] = [newEmail(), newEmail()];
      const license = await addLicense(at, { customer: { email } });
      const [customer, other] = [await signedIn(email), await signedIn(next)];
      expect((await customer.get(`/licenses/${license.id}`)).status).toBe(200);
      await at.owner.api.patch(`/licenses/${license.id}`, { customer_email: next });
      expect((await customer.get(`/licenses/${license.id}`)).status).toBe(404);
      expect((await customer.get("/licenses")).body.data).toEqual([]);
      expect((await customer.post("/licenses/find", { license_key: license.key })).body.data).toEqual([]);
      expect((await other.get(`/licenses/${license.id}`)).status).toBe(200);
      expect(idsOf((await other.get("/licenses")).body.data)).toEqual([license.id]);
    });

    test("a deleted seller's licenses are gone", async () => {
      const at = await seller();
      const email = newEmail();
      const license = await addLicense(at, { customer: { email } });
      const customer = await signedIn(email);
      await fixture.store.transaction(async (db) => {
        const nowMs = Date.now();
        await db
          .updateTable("organizations")
          .set({ delete_after: nowMs })
          .where("id", "=", at.organizationId)
          .execute();
        expect(await closeOrganization(db, at.organizationId, nowMs)).toBeDefined();
      });
      expect((await customer.get("/licenses")).body.data).toEqual([]);
      expect((await customer.get(`/licenses/${license.id}`)).status).toBe(404);
      expect((await customer.post("/licenses/find", { license_key: license.key })).body.data).toEqual([]);
      expect((await customer.post(`/licenses/${license.id}/reveal-key`)).status).toBe(404);
    });

    test("nobody reads them without a session of the portal", async () => {
      const email = newEmail();
      const license = await addLicense(await seller(), { customer: { email } });
      for (const headers of [{}, { authorization: `Bearer ${fixture.owner.token}` }]) {
        for (const path of ["/licenses", `/licenses/${license.id}`]) {
          const response = await fetch(`${fixture.server.url}/api/portal/v1${path}`, { headers });
          expect(response.status).toBe(401);
        }
      }
    });
  });

  describe("finding a license by its key", () => {
    test("takes the key as validations do, and finds the person's own only", async () => {
      const email = newEmail();
      const license = await addLicense(await seller(), { customer: { email }, key: `Own-${newId()}` });
      const other = await addLicense(await seller(), { customer: { email: newEmail() } });
      const customer = await signedIn(email);
      const find = async (key: string) => {
        const answer = await customer.post("/licenses/find", { license_key: key });
        expect(answer.status).toBe(200);
        return answer;
      };
      expect(idsOf((await find(`  ${license.key.toLowerCase()} `)).body.data)).toEqual([license.id]);
      const [someoneElses, unknown] = [await find(other.key), await find("UNKNOWN")];
      expect(someoneElses.text).toBe(unknown.text);
      expect(someoneElses.body).toEqual({ data: [] });
    });

    test("finds a key that several sellers use", async () => {
      const email = newEmail();
      const key = `SHARED-${newId()}`;
      const [a, b, c] = [await seller(), await seller(), await seller()];
      const mine = [
        await addLicense(a, { customer: { email }, key }),
        await addLicense(b, { customer: { email }, key }),
      ];
      await addLicense(c, { customer: { email: newEmail() }, key });
      const { body } = await (await signedIn(email)).post("/licenses/find", { license_key: key });
      expect(idsOf(body.data).toSorted()).toEqual(idsOf(mine).toSorted());
    });

    test("leaves out hidden products", async () => {
      const email = newEmail();
      const license = await addLicense(await seller({ portal_enabled: false }), { customer: { email } });
      const customer = await signedIn(email);
      expect((await customer.post("/licenses/find", { license_key: license.key })).body.data).toEqual([]);
    });
  });

  describe("one license", () => {
    const expiring = (atMs: number) => ({ expiresAtMs: atMs });

    test.each([
      ["in 30 days", 30 * dayMs + 60_000, "active", 30],
      ["in less than a day", dayMs - 60_000, "active", 0],
      ["a moment ago", -1_000, "expired", -1],
      ["ten days ago", -10 * dayMs + 60_000, "expired", -10],
    ])("that expires %s says so", async (_, inMs, status, daysLeft) => {
      const email = newEmail();
      const license = await addLicense(await seller(), {
        customer: { email },
        ...expiring(Date.now() + inMs),
      });
      const { body } = await (await signedIn(email)).get(`/licenses/${license.id}`);
      expect(body).toMatchObject({ status, days_left: daysLeft, is_lifetime: false });
    });

    test("shows its settings, and neither the key nor what the seller noted", async () => {
      const at = await seller({ renewal_url: "https://shop.example/renew" });
      const email = newEmail();
      const license = await addLicense(at, { customer: { email }, notes: "Difficult person", maxIps: 3 });
      const { body, text } = await (await signedIn(email)).get(`/licenses/${license.id}`);
      expect(body).toMatchObject({
        renewal_url: "https://shop.example/renew",
        max_ips: 3,
        versions: null,
        downloads: [],
        refusals: [],
        transfer: null,
        self_service: {
          ip_removals: { limit: 0, used: 0, left: 0, next_at: null },
          transfers: "off",
          can_request_transfer: false,
        },
      });
      expect(text).not.toContain(license.key);
      expect(text).not.toContain("Difficult");
    });

    test("marks the IP addresses that are the customer's, as the product counts them", async () => {
      const at = await seller();
      const email = newEmail();
      const license = await addLicense(at, { customer: { email }, maxIps: 9 });
      for (const ip of ["203.0.113.7", "203.0.113.8", "2001:db8:1:2::5"])
        await at.owner.api.post(`/licenses/${license.id}/ips`, { ip });
      const path = `/licenses/${license.id}`;
      const shownTo = async (ip: string) => {
        const customer = await again(email, ip);
        const shown = (await customer.get(path)).body;
        return { yours: shown.your_ip, marked: shown.ips.filter((one: { is_you: boolean }) => one.is_you) };
      };
      expect(await shownTo("203.0.113.7")).toMatchObject({
        yours: "203.0.113.7",
        marked: [{ ip: "203.0.113.7" }],
      });
      expect(await shownTo("203.0.113.99")).toEqual({ yours: "203.0.113.99", marked: [] });
      expect(await shownTo("2001:db8:1:2:ffff::1")).toMatchObject({
        yours: "2001:db8:1:2::/64",
        marked: [{ ip: "2001:db8:1:2::/64" }],
      });
    });

    test("lists the most recently seen IP addresses first", async () => {
      const at = await seller();
      const email = newEmail();
      const license = await addLicense(at, { customer: { email }, maxIps: 9 });
      const validate = (ip: string) => validated(at.apiKey, license.key, ip);
      for (const ip of ["203.0.113.9", "203.0.113.5", "203.0.113.7"]) {
        expect(await validate(ip)).toBe("active");
        await Bun.sleep(5);
      }
      const customer = await signedIn(email);
      const listed = async () => (await customer.get(`/licenses/${license.id}`)).body.ips;
      await until("the sightings are stored", async () =>
        (await listed()).every((one: { last_seen_at: string | null }) => one.last_seen_at !== null),
      );
      expect((await listed()).map(({ ip }: { ip: string }) => ip)).toEqual([
        "203.0.113.7",
        "203.0.113.5",
        "203.0.113.9",
      ]);
    });

    test("tells which validations were refused, of the last 14 days and its present owner", async () => {
      const at = await seller();
      const email = newEmail();
      const license = await addLicense(at, { customer: { email }, maxIps: 1 });
      for (const ip of ["203.0.113.1", "203.0.113.2", "203.0.113.3"])
        await validated(at.apiKey, license.key, ip);
      const customer = await signedIn(email);
      const refusals = async () => (await customer.get(`/licenses/${license.id}`)).body.refusals;
      await until("both are counted", async () => (await refusals())[0]?.count === 2);
      expect(await refusals()).toMatchObject([
        { status: "ip_limit_reached", count: 2, last_ip: "203.0.113.3" },
      ]);
      await fixture.store.transaction((db) =>
        db
          .insertInto("transfers")
          .values({
            id: newId(),
            organization_id: at.organizationId,
            product_id: at.productId,
            license_id: license.id,
            license_key_hint: "AAAA…",
            state: "approved",
            from_customer_id: newId(),
            from_email: null,
            from_discord_id: null,
            from_name: null,
            to_email: email,
            to_discord_id: null,
            to_customer_id: license.customerId,
            message: null,
            review_reason: null,
            requested_by: null,
            requested_at: Date.now(),
            decided_at: Date.now(),
            decided_by: "system",
            decided_by_name: null,
            reason: null,
            updated_at: Date.now(),
          })
          .execute(),
      );
      expect(await refusals()).toEqual([]);
    });

    test("does not tell a new owner about refusals before the seller gave them the license", async () => {
      const at = await seller();
      const [email, next] = [newEmail(), newEmail()];
      const license = await addLicense(at, { customer: { email }, maxIps: 1 });
      for (const ip of ["203.0.113.1", "203.0.113.2"]) await validated(at.apiKey, license.key, ip);
      const [customer, other] = [await signedIn(email), await signedIn(next)];
      const refusals = async (who: PortalCustomer) =>
        (await who.get(`/licenses/${license.id}`)).body.refusals;
      await until("it is counted", async () => (await refusals(customer))[0]?.count === 1);
      const devices = async (who: PortalCustomer) =>
        (await who.get(`/licenses/${license.id}`)).body.ips.map(
          (one: { device_ids: string[] }) => one.device_ids,
        );
      await until("the device is in the log", async () => (await devices(customer))[0]?.[0] === "desk");
      await until(
        "the refused device is in the log",
        async () => (await refusals(customer))[0]?.device_ids[0] === "desk",
      );
      await at.owner.api.patch(`/licenses/${license.id}`, { notes: "Nothing about the customer" });
      expect(await refusals(customer)).toHaveLength(1);
      await at.owner.api.patch(`/licenses/${license.id}`, { customer_email: next });
      expect(await refusals(other)).toEqual([]);
      expect(await devices(other)).toEqual([[]]);
    });

    test("does not tell whose email address the seller gave to the customer about refusals before that", async () => {
      const at = await seller();
      const [email, unknown, known] = [newEmail(), newEmail(), newEmail()];
      const license = await addLicense(at, { customer: { email }, maxIps: 1 });
      await addLicense(at, { customer: { email: known } });
      for (const ip of ["203.0.113.1", "203.0.113.2"]) await validated(at.apiKey, license.key, ip);
      const customer = await signedIn(email);
      const refusals = async (who: PortalCustomer) =>
        (await who.get(`/licenses/${license.id}`)).body.refusals;
      await until("it is counted", async () => (await refusals(customer))[0]?.count === 1);
      let customerId = license.customerId ?? "";
      const change = async (fields: object) => {
        const path = `/organizations/${at.organizationId}/customers/${customerId}`;
        const { status, body } = await at.owner.api.patch(path, fields);
        expect(status).toBe(200);
        customerId = body.id;
      };
      await change({ name: "Ada" });
      expect(await refusals(customer)).toHaveLength(1);
      await change({ email: unknown });
      expect(await refusals(await signedIn(unknown))).toEqual([]);
      // Someone who was a customer before, with whom the seller merges them.
      await change({ email: known });
      expect(await refusals(await signedIn(known))).toEqual([]);
    });

    test("shows its pending transfer", async () => {
      const at = await seller({ transfers: "review" });
      const email = newEmail();
      const license = await addLicense(at, { customer: { email } });
      const customer = await signedIn(email);
      const before = (await customer.get(`/licenses/${license.id}`)).body;
      expect(before.self_service).toMatchObject({ transfers: "review", can_request_transfer: true });
      await fixture.store.transaction((db) =>
        db
          .insertInto("transfers")
          .values({
            id: newId(),
            organization_id: at.organizationId,
            product_id: at.productId,
            license_id: license.id,
            license_key_hint: "AAAA…",
            state: "pending",
            from_customer_id: license.customerId ?? "",
            from_email: email,
            from_discord_id: null,
            from_name: null,
            to_email: "friend@example.com",
            to_discord_id: null,
            to_customer_id: null,
            message: "For a friend",
            review_reason: "product_setting",
            requested_by: customer.personId,
            requested_at: Date.now(),
            decided_at: null,
            decided_by: null,
            decided_by_name: null,
            reason: null,
            updated_at: Date.now(),
          })
          .execute(),
      );
      const { body } = await customer.get(`/licenses/${license.id}`);
      expect(body.transfer).toMatchObject({
        state: "pending",
        to_email: "friend@example.com",
        product_name: "Plugin",
        seller_name: "Seller",
      });
      expect(body).toMatchObject({
        has_pending_transfer: true,
        self_service: { can_request_transfer: false },
      });
      expect((await customer.get("/licenses")).body.data[0].has_pending_transfer).toBe(true);
    });
  });

  describe("versions and downloads", () => {
    const downloads = [
      { title: "Version 1", url: "https://cdn.example/1.zip", min_version: "1.0", checksum: "sha256:abc" },
      { title: "Version 2", url: "https://cdn.example/2.zip", min_version: "2.0" },
      { title: "Manual", url: "https://docs.example/" },
    ];
    async function versioned(plan: "free" | "pro", pin: Parameters<typeof addLicense>[1] = {}) {
      const at = await seller({ version_module_enabled: true });
      await fixture.store.transaction((db) =>
        db
          .updateTable("organizations")
          .set({ plan, had_version_module: plan === "free" ? 0 : 1 })
          .where("id", "=", at.organizationId)
          .execute(),
      );
      for (const version of ["1.0.0", "2.0.0"])
        await at.owner.api.post(`/products/${at.productId}/versions`, { version, state: "allowed" });
      expect(
        (await at.owner.api.put(`/products/${at.productId}/downloads`, { data: downloads })).status,
      ).toBe(200);
      const email = newEmail();
      const license = await addLicense(at, { customer: { email }, ...pin });
      const customer = await signedIn(email);
      const shown = async () => (await customer.get(`/licenses/${license.id}`)).body;
      return { at, license, shown };
    }
    const titles = (shown: { downloads: { title: string }[] }) => shown.downloads.map(({ title }) => title);

    test("a license without a pin can use the newest version and every download", async () => {
      const { shown } = await versioned("pro");
      const license = await shown();
      expect(license.versions).toEqual({ pinned: null, min: null, max: null, newest: "2.0.0" });
      expect(license.downloads).toMatchObject([
        { title: "Version 1", url: "https://cdn.example/1.zip", min_version: "1.0", checksum: "sha256:abc" },
        { title: "Version 2", min_version: "2.0", checksum: null },
        { title: "Manual", min_version: null },
      ]);
    });

    test("a pinned license sees what its version allows", async () => {
      const { shown } = await versioned("pro", { pin: { mode: "pinned", version: "1.0.0" } });
      const license = await shown();
      expect(license.versions).toEqual({ pinned: "1.0.0", min: null, max: null, newest: "1.0.0" });
      expect(titles(license)).toEqual(["Version 1", "Manual"]);
    });

    test("a range ends before its maximum", async () => {
      const { shown } = await versioned("pro", { pin: { mode: "range", min: "1.0", max: "2.0" } });
      const license = await shown();
      expect(license.versions).toEqual({ pinned: null, min: "1.0", max: "2.0", newest: "1.0.0" });
      expect(titles(license)).toEqual(["Version 1", "Manual"]);
    });

    test("without version checks, as on the Free plan, every license sees every download", async () => {
      const { shown } = await versioned("free", { pin: { mode: "pinned", version: "1.0.0" } });
      const license = await shown();
      expect(license.versions).toBeNull();
      expect(titles(license)).toEqual(["Version 1", "Version 2", "Manual"]);
    });

    test("after a downgrade, a license sees the same downloads as before", async () => {
      const { at, shown } = await versioned("pro", { pin: { mode: "pinned", version: "1.0.0" } });
      await fixture.store.transaction((db) =>
        db.updateTable("organizations").set({ plan: "free" }).where("id", "=", at.organizationId).execute(),
      );
      expect(titles(await shown())).toEqual(["Version 1", "Manual"]);
    });

    test("a license that is not active has no downloads", async () => {
      const { at, license, shown } = await versioned("pro");
      await at.owner.api.post(`/licenses/${license.id}/revoke`, {});
      expect(await shown()).toMatchObject({ status: "revoked", downloads: [] });
      await at.owner.api.post(`/licenses/${license.id}/reinstate`);
      expect(titles(await shown())).toHaveLength(3);
      const past = new Date(Date.now() - 1_000).toISOString();
      await at.owner.api.patch(`/licenses/${license.id}`, { expires_at: past });
      expect(await shown()).toMatchObject({ status: "expired", downloads: [] });
    });

    test("sellers replace the whole list, in the order that customers see", async () => {
      const at = await seller();
      const path = `/products/${at.productId}/downloads`;
      expect((await at.owner.api.get(path)).body).toEqual({ data: [] });
      const first = await at.owner.api.put(path, { data: downloads });
      expect((await at.owner.api.get(path)).body).toEqual(first.body);
      const [one, two, three] = first.body.data;
      const second = await at.owner.api.put(path, {
        data: [downloads[2], { ...downloads[0], title: "New" }],
      });
      expect(second.body.data).toMatchObject([{ id: three.id, title: "Manual" }, { title: "New" }]);
      expect([one.id, two.id]).not.toContain(second.body.data[1].id);
      await at.owner.api.put(path, { data: [downloads[2], { ...downloads[0], title: "New" }] });
      const log = await at.owner.api.get(
        `/organizations/${at.organizationId}/audit-log?action=product.downloads_replaced`,
      );
      expect(log.body.data).toHaveLength(2);
      expect((await at.owner.api.put(path, { data: [] })).body).toEqual({ data: [] });
    });

    test("an empty version of a download counts as none", async () => {
      const at = await seller();
      const path = `/products/${at.productId}/downloads`;
      for (const min_version of ["", "  ", null]) {
        const { body } = await at.owner.api.put(path, { data: [{ ...downloads[0], min_version }] });
        expect(body.data).toMatchObject([{ title: downloads[0]?.title, min_version: null }]);
      }
    });

    test("a download needs a web URL and a version", async () => {
      const at = await seller();
      const put = async (change: object) => {
        const data = [{ title: "File", url: "https://cdn.example/", ...change }];
        const { status, body } = await at.owner.api.put(`/products/${at.productId}/downloads`, { data });
        return [status, body.errors?.[0]?.field, body.errors?.[0]?.code];
      };
      expect(await put({ url: "javascript:alert(1)" })).toEqual([422, "data.0.url", "not_a_web_url"]);
      expect(await put({ min_version: "newest" })).toEqual([422, "data.0.min_version", "not_a_version"]);
      for (const min_version of ["2.x", "1.2.3.4.5", "1".repeat(65)])
        expect(await put({ min_version })).toEqual([422, "data.0.min_version", "not_a_version"]);
      expect((await put({ title: " " }))[0]).toBe(422);
      const many = Array.from({ length: 51 }, () => downloads[0]);
      expect((await at.owner.api.put(`/products/${at.productId}/downloads`, { data: many })).status).toBe(
        422,
      );
    });
  });

  const addCustomers = (organizationId: string, count: number) =>
    fixture.store.transaction(async (db) => {
      const row = () => ({
        id: newId(),
        organization_id: organizationId,
        email: newEmail(),
        discord_id: null,
        created_at: Date.now(),
      });
      for (let added = 0; added < count; added += 500)
        await db
          .insertInto("customers")
          .values(Array.from({ length: 500 }, row))
          .execute();
    });

  const validated = async (apiKey: string, key: string, ip: string) => {
    const response = await fetch(`${fixture.server.url}/api/v1/validate`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${apiKey}`,
        "content-type": "application/json",
        "x-forwarded-for": ip,
      },
      body: JSON.stringify({ license_key: key, device_id: "desk" }),
    });
    return ((await response.json()) as { status: string }).status;
  };

  /** A new session of the same person, from another IP address. */
  const again = async (email: string, ip: string) => {
    await fixture.store.transaction((db) =>
      db.deleteFrom("portal_identities").where("value", "=", email).execute(),
    );
    return signedIn(email, ip);
  };
});

/** Records the statements of a store, and explains them. */
function watched(store: Store) {
  const seen = new Map<string, CompiledQuery>();
  let statements = 0;
  const reads = store.reads.withPlugin({
    transformQuery: ({ node, queryId }) => {
      const query = store.reads.getExecutor().compileQuery(node as RootOperationNode, queryId);
      seen.set(query.sql, query);
      statements += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const explain = store.kind === "sqlite" ? "explain query plan " : "explain ";
  return {
    store: { reads },
    count: () => statements,
    plans: async () => {
      const plans: { text: string; plan: string }[] = [];
      for (const query of seen.values()) {
        const { rows } = await store.reads.executeQuery(
          CompiledQuery.raw(explain + query.sql, [...query.parameters]),
        );
        const plan = rows.map((row) => Object.values(row as object).join(" ")).join("\n");
        plans.push({ text: query.sql.slice(0, 600), plan });
      }
      return plans;
    },
  };
}
