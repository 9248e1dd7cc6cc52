import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { addLicense } from "../support/add-license.ts";
import { databases } from "../support/databases.ts";
import type { ManageClient } from "../support/manage-client.ts";
import { type ManageFixture, openSharedManageFixture } from "../support/manage-fixture.ts";
import { until } from "../support/until.ts";

describe.each(databases)("customers on $kind", ({ make }) => {
  let fixture: ManageFixture;
  let path: string;
  beforeAll(async () => {
    fixture = await openSharedManageFixture(make);
    path = `/organizations/${fixture.organizationId}/customers`;
  });
  afterAll(() => fixture.close());

  const fresh = () => `${crypto.randomUUID()}@example.com`;
  const licenseOf = async (id: string) =>
    fixture.store.reads
      .selectFrom("licenses")
      .select(["customer_id", "search_text", "updated_at"])
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
  const personOf = (email: string, organizationId = fixture.organizationId) =>
    fixture.store.reads
      .selectFrom("customers")
      .selectAll()
      .where("email", "=", email)
      .where("organization_id", "=", organizationId)
      .executeTakeFirst();
  /** A second organization of another owner, with its own product. */
  const elsewhere = async () => {
    const owner = await fixture.person();
    const organization = await owner.api.post("/organizations", { name: "Rival" });
    const organizationId = String(organization.body.id);
    const product = await owner.api.post(`/organizations/${organizationId}/products`, { name: "Theirs" });
    return {
      owner,
      organizationId,
      path: `/organizations/${organizationId}/customers`,
      addLicense: (settings: Parameters<typeof addLicense>[1]) =>
        addLicense({ store: fixture.store, organizationId, productId: String(product.body.id) }, settings),
    };
  };

  test("a customer is created once per email address, ignoring case, and keeps its spelling", async () => {
    const email = `Ada.${fresh()}`;
    const made = await fixture.owner.api.post(path, { email, name: "Ada", discord_id: "77" });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ email, name: "Ada", discord_id: "77", license_count: 0 });
    const again = await fixture.owner.api.post(path, { email: email.toUpperCase() });
    expect(again.status).toBe(409);
    expect(again.body.errors[0].field).toBe("email");
    expect(again.body).toMatchObject({ code: "customer_exists", params: { customer_id: made.body.id } });
    const racing = fresh();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => fixture.owner.api.post(path, { email: racing })),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
  });

  test("a customer needs an email address or a Discord ID", async () => {
    for (const body of [{}, { name: "Ada" }, { email: null, discord_id: null }]) {
      const { status, body: problem } = await fixture.owner.api.post(path, body);
      expect(status).toBe(422);
      expect(problem.errors[0]).toMatchObject({ field: "email", code: "email_or_discord_id" });
    }
    const wrong = await fixture.owner.api.post(path, {
      email: "ada",
      discord_id: "ada#1",
      name: "",
      id: "x",
    });
    expect(wrong.body.errors.map((error: { field: string }) => error.field).sort()).toEqual([
      "discord_id",
      "email",
      "id",
      "name",
    ]);
    const { body } = await fixture.owner.api.post(path, { email: fresh() });
    const emptied = await fixture.owner.api.patch(`${path}/${body.id}`, { email: null });
    expect(emptied.status).toBe(422);
  });

  test("the profile counts licenses by status and shows the last use", async () => {
    const email = fresh();
    const license = await addLicense(fixture, { customer: { email } });
    await addLicense(fixture, { customer: { email }, expiresAtMs: Date.now() - 1_000 });
    await addLicense(fixture, { customer: { email }, revokedAtMs: 5 });
    await addLicense(fixture, { customer: { email }, revokedAtMs: 5, expiresAtMs: 5 });
    const profile = async () => (await fixture.owner.api.get(`${path}/${license.customerId}`)).body;
    expect(await profile()).toMatchObject({
      email,
      license_count: 4,
      licenses: { active: 1, expired: 1, revoked: 2 },
      last_seen_at: null,
    });
    const before = Date.now();
    await fixture.publicApi.validate({ license_key: license.key });
    await until("the sighting is recorded", async () => (await profile()).last_seen_at !== null);
    expect(Date.parse((await profile()).last_seen_at)).toBeGreaterThanOrEqual(before - 1_000);
  });

  test("the list is paginated newest first, with counts, and is searched by substring, ignoring case", async () => {
    const own = await elsewhere();
    const list = async (query: string) => (await own.owner.api.get(`${own.path}${query}`)).body;
    const people = [
      { email: "ada@lovelace.example", name: "Ada Ömer" },
      { email: "grace@hopper.example", name: "Grace 100%" },
      { discord_id: "424242", name: "Nameless_One" },
    ];
    for (const person of people) expect((await own.owner.api.post(own.path, person)).status).toBe(201);
    await own.addLicense({ customer: { email: "ada@lovelace.example" } });
    await own.addLicense({ customer: { email: "ADA@lovelace.example" } });
    const all = await list("");
    expect(all.data.map((customer: { name: string }) => customer.name)).toEqual([
      "Nameless_One",
      "Grace 100%",
      "Ada Ömer",
    ]);
    expect(all.data.map((customer: { license_count: number }) => customer.license_count)).toEqual([0, 0, 2]);
    const paged: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page = await list(`?limit=1${cursor === "" ? "" : `&cursor=${cursor}`}`);
      paged.push(...page.data.map((customer: { id: string }) => customer.id));
      cursor = page.next_cursor;
    }
    expect(paged).toEqual(all.data.map((customer: { id: string }) => customer.id));
    const found = async (search: string) =>
      (await list(`?search=${encodeURIComponent(search)}`)).data.map(
        (customer: { name: string }) => customer.name,
      );
    expect(await found("LOVELACE")).toEqual(["Ada Ömer"]);
    expect(await found("öMER")).toEqual(["Ada Ömer"]);
    expect(await found("2424")).toEqual(["Nameless_One"]);
    expect(await found("0%")).toEqual(["Grace 100%"]);
    expect(await found("s_o")).toEqual(["Nameless_One"]);
    expect(await found("example")).toEqual(["Grace 100%", "Ada Ömer"]);
    expect(await found("%")).toEqual(["Grace 100%"]);
    expect(await found("nobody")).toEqual([]);
    expect((await own.owner.api.get(`${own.path}?cursor=nonsense`)).status).toBe(422);
  });

  test("a search continues past many customers that do not match", async () => {
    const own = await elsewhere();
    const first = await own.owner.api.post(own.path, { email: "needle@example.com" });
    await fixture.store.transaction(async (db) => {
      const rows = Array.from({ length: 6_000 }, () => ({ id: crypto.randomUUID(), email: fresh() }));
      for (let start = 0; start < rows.length; start += 500) {
        const some = rows.slice(start, start + 500);
        const at = Date.now() + 1_000;
        await db
          .insertInto("customers")
          .values(
            some.map((row) => ({
              ...row,
              organization_id: own.organizationId,
              discord_id: null,
              created_at: at,
            })),
          )
          .execute();
        await db
          .insertInto("organization_customers")
          .values(
            some.map((row) => ({
              organization_id: own.organizationId,
              customer_id: row.id,
              email: row.email,
              name: null,
              discord_id: null,
              created_at: at,
              updated_at: at,
              search_text: row.email,
            })),
          )
          .execute();
      }
    });
    const search = async (text: string, cursor: string | null) =>
      (await own.owner.api.get(`${own.path}?search=${text}${cursor === null ? "" : `&cursor=${cursor}`}`))
        .body;
    const part = await search("eedle@", null);
    // One request scans only a limited part of the list.
    expect(part.data).toEqual([]);
    expect(part.next_cursor).toBeString();
    const rest = await search("eedle@", part.next_cursor);
    expect(rest.data.map((customer: { id: string }) => customer.id)).toEqual([first.body.id]);
    expect(rest.next_cursor).toBeNull();
    // An index finds prefixes of email addresses.
    const start = await search("NEEDLE", null);
    expect(start.data.map((customer: { id: string }) => customer.id)).toEqual([first.body.id]);
    expect(await search("NEEDLE", start.next_cursor)).toEqual({ data: [], next_cursor: null });
  });

  test("a changed name or Discord ID applies to the organization's record and to its licenses", async () => {
    const email = fresh();
    const license = await addLicense(fixture, { customer: { email, name: "Old" } });
    const id = license.customerId ?? "";
    const changed = await fixture.owner.api.patch(`${path}/${id}`, { name: "Zephyrine", discord_id: "99" });
    expect(changed.body).toMatchObject({ id, email, name: "Zephyrine", discord_id: "99", license_count: 1 });
    expect((await fixture.publicApi.lookup(license.key)).body).toMatchObject({
      global_customer_id: id,
      customer_name: "Zephyrine",
      customer_discord_id: "99",
    });
    expect((await licenseOf(license.id)).search_text).toContain("zephyrine");
    expect((await fixture.owner.api.get(`${path}?search=zephyr`)).body.data).toHaveLength(1);
    const cleared = await fixture.owner.api.patch(`${path}/${id}`, { name: null });
    expect(cleared.body.name).toBeNull();
    expect(cleared.body.discord_id).toBe("99");
  });

  test("an email address in different case is the same customer", async () => {
    const email = fresh();
    const { body } = await fixture.owner.api.post(path, { email });
    const changed = await fixture.owner.api.patch(`${path}/${body.id}`, { email: email.toUpperCase() });
    expect(changed.body).toMatchObject({ id: body.id, email: email.toUpperCase() });
  });

  test("a changed email address moves the organization's licenses to the customer with that address", async () => {
    const [wrong, right] = [fresh(), fresh()];
    const licenses = [
      await addLicense(fixture, { customer: { email: wrong, name: "Ada", discordId: "5" } }),
      await addLicense(fixture, { customer: { email: wrong } }),
    ];
    const oldId = licenses[0]?.customerId;
    const before = await licenseOf(licenses[0]?.id ?? "");
    const changed = await fixture.owner.api.patch(`${path}/${oldId}`, { email: right });
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ email: right, name: "Ada", discord_id: "5", license_count: 2 });
    expect(changed.body.id).not.toBe(oldId);
    for (const license of licenses) {
      const now = await licenseOf(license.id);
      expect(now.customer_id).toBe(changed.body.id);
      expect(now.search_text).toContain(right.replaceAll("-", ""));
      expect(now.search_text).not.toContain(wrong.replaceAll("-", ""));
      expect((await fixture.publicApi.lookup(license.key)).body).toMatchObject({
        global_customer_id: changed.body.id,
        customer_email: right,
      });
    }
    expect((await licenseOf(licenses[0]?.id ?? "")).updated_at).toBeGreaterThan(before.updated_at);
    expect((await fixture.owner.api.get(`${path}/${oldId}`)).status).toBe(404);
    expect(await personOf(wrong)).toBeUndefined();
  });

  test("a deleted customer is removed, and stays in other organizations", async () => {
    const rival = await elsewhere();
    const [alone, shared, moved] = [fresh(), fresh(), fresh()];
    const ids: Record<string, string> = {};
    for (const email of [alone, shared, moved])
      ids[email] = (await fixture.owner.api.post(path, { email })).body.id;
    const theirs = await rival.owner.api.post(rival.path, { email: shared });
    for (const email of [alone, shared])
      expect((await fixture.owner.api.delete(`${path}/${ids[email]}`)).status).toBe(204);
    await fixture.owner.api.patch(`${path}/${ids[moved]}`, { email: fresh() });
    expect(await personOf(alone)).toBeUndefined();
    expect(await personOf(moved)).toBeUndefined();
    expect(await personOf(shared)).toBeUndefined();
    expect((await personOf(shared, rival.organizationId))?.id).toBe(theirs.body.id);
    expect((await rival.owner.api.get(`${rival.path}/${theirs.body.id}`)).status).toBe(200);
  });

  test("deleting a customer in one organization does not disturb their creation in others", async () => {
    const rivals = await Promise.all(Array.from({ length: 3 }, () => elsewhere()));
    for (let round = 0; round < 10; round++) {
      const email = fresh();
      const { body } = await fixture.owner.api.post(path, { email });
      const [gone, ...made] = await Promise.all([
        fixture.owner.api.delete(`${path}/${body.id}`),
        ...rivals.map((rival) => rival.owner.api.post(rival.path, { email })),
      ]);
      expect([gone?.status, ...made.map((answer) => answer.status)]).toEqual([204, 201, 201, 201]);
      const known = await Promise.all(rivals.map((rival) => personOf(email, rival.organizationId)));
      expect(made.map((answer) => answer.body.id)).toEqual(known.map((customer) => customer?.id));
    }
  });

  test("two customers are merged when one gets the other's email address", async () => {
    const [one, two] = [fresh(), fresh()];
    const a = await addLicense(fixture, { customer: { email: one, name: "One" } });
    const b = await addLicense(fixture, { customer: { email: two, name: "Two", discordId: "222" } });
    const blocks = (id: string | null) => `${path}/${id}/ip-blocks`;
    await fixture.owner.api.post(blocks(a.customerId), { cidr: "198.51.100.1" });
    await fixture.owner.api.post(blocks(a.customerId), {
      cidr: "198.51.100.2",
      expires_at: "2099-01-01T00:00:00Z",
    });
    await fixture.owner.api.post(blocks(b.customerId), { cidr: "198.51.100.2" });
    await fixture.owner.api.post(blocks(b.customerId), {
      cidr: "198.51.100.1",
      expires_at: "2099-01-01T00:00:00Z",
    });
    const merged = await fixture.owner.api.patch(`${path}/${a.customerId}`, { email: two });
    expect(merged.body).toMatchObject({
      id: b.customerId,
      name: "One",
      discord_id: "222",
      license_count: 2,
    });
    const left = (await fixture.owner.api.get(blocks(b.customerId))).body.data;
    expect(
      left.map((block: { cidr: string; expires_at: string | null }) => [block.cidr, block.expires_at]).sort(),
    ).toEqual([
      ["198.51.100.1/32", null],
      ["198.51.100.2/32", null],
    ]);
    const { count } = await fixture.store.reads
      .selectFrom("ip_blocks")
      .select((is) => is.fn.countAll<number>().as("count"))
      .where("tier", "=", "customer")
      .where("organization_id", "=", fixture.organizationId)
      .executeTakeFirstOrThrow();
    const { customer_block_count } = await fixture.store.reads
      .selectFrom("organizations")
      .select("customer_block_count")
      .where("id", "=", fixture.organizationId)
      .executeTakeFirstOrThrow();
    expect(customer_block_count).toBe(Number(count));
  });

  test("a customer's IP blocks follow a changed email address immediately", async () => {
    const license = await addLicense(fixture, { customer: { email: fresh() } });
    await fixture.owner.api.post(`${path}/${license.customerId}/ip-blocks`, { cidr: "127.0.0.0/8" });
    const status = async () => (await fixture.publicApi.validate({ license_key: license.key })).body.status;
    expect(await status()).toBe("ip_blocked");
    const moved = await fixture.owner.api.patch(`${path}/${license.customerId}`, { email: fresh() });
    expect(await status()).toBe("ip_blocked");
    const { data } = (await fixture.owner.api.get(`${path}/${moved.body.id}/ip-blocks`)).body;
    await fixture.owner.api.delete(`${path}/${moved.body.id}/ip-blocks/${data[0].id}`);
    expect(await status()).toBe("active");
  });

  test("a Discord ID identifies a customer only without an email address", async () => {
    const discord = String(Date.now());
    const license = await addLicense(fixture, { customer: { discordId: discord } });
    const email = fresh();
    const withEmail = await fixture.owner.api.patch(`${path}/${license.customerId}`, { email });
    expect(withEmail.body).toMatchObject({ email, discord_id: discord, license_count: 1 });
    expect(withEmail.body.id).not.toBe(license.customerId);
    const other = await fixture.owner.api.patch(`${path}/${withEmail.body.id}`, { discord_id: "1234" });
    expect(other.body.id).toBe(withEmail.body.id);
    const back = await fixture.owner.api.patch(`${path}/${withEmail.body.id}`, {
      email: null,
      discord_id: discord,
    });
    expect(back.body).toMatchObject({ email: null, discord_id: discord });
    expect((await licenseOf(license.id)).customer_id).toBe(back.body.id);
  });

  test("swapping two customers' email addresses concurrently loses no license", async () => {
    const [one, two] = [fresh(), fresh()];
    const licenses = [
      await addLicense(fixture, { customer: { email: one } }),
      await addLicense(fixture, { customer: { email: two } }),
    ];
    const [a, b] = licenses.map((license) => license.customerId);
    const answers = await Promise.all([
      fixture.owner.api.patch(`${path}/${a}`, { email: two }),
      fixture.owner.api.patch(`${path}/${b}`, { email: one }),
    ]);
    for (const { status } of answers) expect([200, 404]).toContain(status);
    const owners = new Set<string | null>();
    for (const license of licenses) owners.add((await licenseOf(license.id)).customer_id);
    for (const owner of owners) expect((await fixture.owner.api.get(`${path}/${owner}`)).status).toBe(200);
  });

  test("licenses created while their customer's email address changes belong to an existing customer", async () => {
    const [one, two] = [fresh(), fresh()];
    const first = await addLicense(fixture, { customer: { email: one } });
    const [moved, ...added] = await Promise.all([
      fixture.owner.api.patch(`${path}/${first.customerId}`, { email: two }),
      ...Array.from({ length: 8 }, () => addLicense(fixture, { customer: { email: one } })),
      ...Array.from({ length: 8 }, () => addLicense(fixture, { customer: { email: two } })),
    ]);
    expect(moved.status).toBe(200);
    for (const license of [first, ...added]) {
      const { customer_id } = await licenseOf(license.id);
      const { status, body } = await fixture.owner.api.get(`${path}/${customer_id}`);
      expect(status).toBe(200);
      expect([one, two]).toContain(body.email);
    }
  });

  test("validations that register IP addresses succeed while customers are merged", async () => {
    const [one, two] = [fresh(), fresh()];
    const licenses: Awaited<ReturnType<typeof addLicense>>[] = [];
    for (let index = 0; index < 12; index++) {
      licenses.push(await addLicense(fixture, { customer: { email: index % 2 === 0 ? one : two } }));
    }
    const [changed, ...answers] = await Promise.all([
      fixture.owner.api.patch(`${path}/${licenses[0]?.customerId}`, { email: two, name: "Both" }),
      ...licenses.toReversed().map(({ key }) => fixture.publicApi.validate({ license_key: key })),
    ]);
    expect(changed.body.license_count).toBe(12);
    for (const answer of answers) expect(answer.body.status).toBe("active");
  });

  test("a stale update is refused", async () => {
    const { body, headers } = await fixture.owner.api.post(path, { email: fresh() });
    const guard = { "if-match": headers.get("etag") ?? "" };
    expect((await fixture.owner.api.patch(`${path}/${body.id}`, { name: "A" }, guard)).status).toBe(200);
    expect((await fixture.owner.api.patch(`${path}/${body.id}`, { name: "B" }, guard)).status).toBe(412);
  });

  test("a customer can only be deleted without licenses, and their IP blocks are deleted too", async () => {
    const license = await addLicense(fixture, { customer: { email: fresh() } });
    const own = `${path}/${license.customerId}`;
    await fixture.owner.api.post(`${own}/ip-blocks`, { cidr: "198.51.100.9" });
    expect((await fixture.owner.api.delete(own)).status).toBe(409);
    await fixture.store.transaction((db) => db.deleteFrom("licenses").where("id", "=", license.id).execute());
    const count = async () =>
      (
        await fixture.store.reads
          .selectFrom("organizations")
          .select("customer_block_count")
          .where("id", "=", fixture.organizationId)
          .executeTakeFirstOrThrow()
      ).customer_block_count;
    const before = await count();
    expect((await fixture.owner.api.delete(own)).status).toBe(204);
    expect(await count()).toBe(before - 1);
    expect((await fixture.owner.api.get(own)).status).toBe(404);
    expect((await fixture.owner.api.delete(own)).status).toBe(404);
  });

  test("a customer's licenses are paginated and need licenses:view", async () => {
    const email = fresh();
    const added = [];
    for (let index = 0; index < 3; index++)
      added.push(await addLicense(fixture, { customer: { email, name: "N" } }));
    const own = `${path}/${added[0]?.customerId}/licenses`;
    const first = (await fixture.owner.api.get(`${own}?limit=2`)).body;
    const second = (await fixture.owner.api.get(`${own}?limit=2&cursor=${first.next_cursor}`)).body;
    const keys = [...first.data, ...second.data].map(
      (license: { license_key: string }) => license.license_key,
    );
    expect(keys.sort()).toEqual(added.map((license) => license.key).sort());
    expect(second.next_cursor).toBeNull();
    expect(first.data[0]).toMatchObject({ customer_email: email, customer_name: "N", status: "active" });
    const viewer = await fixture.member(["customers:view"]);
    expect((await viewer.api.get(`${path}/${added[0]?.customerId}`)).status).toBe(200);
    expect((await viewer.api.get(own)).status).toBe(403);
  });

  describe("between organizations", () => {
    test("an ID reveals nothing about another organization, even after deletion and re-creation", async () => {
      const email = fresh();
      const rival = await elsewhere();
      const theirs = await rival.owner.api.post(rival.path, { email });
      const startedMs = Date.now();
      const ids: string[] = [];
      for (let time = 0; time < 2; time++) {
        const { body } = await fixture.owner.api.post(path, { email });
        ids.push(body.id);
        await fixture.owner.api.delete(`${path}/${body.id}`);
      }
      expect(ids).not.toContain(theirs.body.id);
      for (const id of ids)
        expect(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16)).toBeGreaterThanOrEqual(startedMs);
      expect(new Set(ids).size).toBe(2);
    });

    test("each organization sees only its own ID, details and licenses of the same customer", async () => {
      const email = fresh();
      const rival = await elsewhere();
      // Longer than any run of digits in a random email address.
      const discordId = "111222333444555666";
      const ours = await addLicense(fixture, { customer: { email, name: "Our name", discordId } });
      const theirs = await rival.addLicense({
        customer: { email: email.toUpperCase(), name: "Secret name" },
      });
      expect(theirs.customerId).not.toBe(ours.customerId);
      const answers = await Promise.all([
        fixture.owner.api.get(`${path}/${ours.customerId}`),
        fixture.owner.api.get(`${path}/${ours.customerId}/licenses`),
        fixture.owner.api.get(`${path}?search=${email.slice(0, 20)}`),
      ]);
      for (const answer of answers) {
        expect(answer.text).not.toContain("Secret name");
        expect(answer.text).not.toContain(theirs.key);
        expect(answer.text).not.toContain(rival.organizationId);
      }
      expect(answers[0]?.body.license_count).toBe(1);
      const seen = await rival.owner.api.get(`${rival.path}/${theirs.customerId}`);
      expect(seen.body).toMatchObject({ name: "Secret name", discord_id: null, license_count: 1 });
      expect((await rival.owner.api.get(`${rival.path}?search=${discordId}`)).body.data).toEqual([]);
    });

    test("a change in one organization does not affect another, even after a merge", async () => {
      const [email, other] = [fresh(), fresh()];
      const rival = await elsewhere();
      const ours = await addLicense(fixture, { customer: { email, name: "Ours" } });
      const theirs = await rival.addLicense({ customer: { email, name: "Theirs" } });
      await rival.addLicense({ customer: { email: other, name: "Their other" } });
      const view = () => rival.owner.api.get(`${rival.path}/${theirs.customerId}`);
      const before = (await view()).body;
      await fixture.owner.api.patch(`${path}/${ours.customerId}`, { name: "Changed", discord_id: "3" });
      const moved = await fixture.owner.api.patch(`${path}/${ours.customerId}`, { email: other });
      expect(moved.body).toMatchObject({ name: "Changed", license_count: 1 });
      expect((await view()).body).toEqual(before);
      expect((await licenseOf(theirs.id)).customer_id).toBe(theirs.customerId);
      await fixture.store.transaction((db) => db.deleteFrom("licenses").where("id", "=", ours.id).execute());
      expect((await fixture.owner.api.delete(`${path}/${moved.body.id}`)).status).toBe(204);
      expect((await view()).body).toEqual(before);
      expect((await rival.owner.api.get(`${rival.path}?search=other`)).body.data).toHaveLength(1);
    });

    test("another organization's customer gets the same 404 response as an unknown one, on every route", async () => {
      const rival = await elsewhere();
      const theirs = await rival.addLicense({ customer: { email: fresh(), name: "Theirs" } });
      const calls = (api: ManageClient, base: string, id: string | null) => [
        api.get(`${base}/${id}`),
        api.get(`${base}/${id}/licenses`),
        api.get(`${base}/${id}/ip-blocks`),
        api.patch(`${base}/${id}`, { name: "x" }),
        api.delete(`${base}/${id}`),
        api.post(`${base}/${id}/ip-blocks`, { cidr: "198.51.100.7" }),
        api.patch(`${base}/${id}/ip-blocks/x`, { note: "x" }),
        api.delete(`${base}/${id}/ip-blocks/x`),
      ];
      const unknown = await Promise.all(calls(fixture.owner.api, path, crypto.randomUUID()));
      const foreign = await Promise.all(calls(fixture.owner.api, path, theirs.customerId));
      const outside = await Promise.all(calls(fixture.owner.api, rival.path, theirs.customerId));
      unknown.forEach((answer, index) => {
        expect(answer.status).toBe(404);
        const same = foreign[index];
        expect({ ...same?.body, request_id: "" }).toEqual({ ...answer.body, request_id: "" });
        expect(outside[index]?.status).toBe(404);
      });
      expect((await rival.owner.api.get(`${rival.path}/${theirs.customerId}`)).body.name).toBe("Theirs");
    });
  });

  test("reading needs customers:view and changing needs customers:manage", async () => {
    const { body } = await fixture.owner.api.post(path, { email: fresh() });
    const viewer = await fixture.member(["customers:view"]);
    const other = await fixture.member(["licenses:view", "licenses:update"]);
    const outsider = await fixture.person();
    const reads = (api: ManageClient) => [api.get(path), api.get(`${path}/${body.id}`)];
    const writes = (api: ManageClient) => [
      api.post(path, { email: fresh() }),
      api.patch(`${path}/${body.id}`, { name: "x" }),
      api.delete(`${path}/${body.id}`),
    ];
    for (const call of reads(viewer.api)) expect((await call).status).toBe(200);
    for (const call of writes(viewer.api)) expect((await call).status).toBe(403);
    for (const call of [...reads(other.api), ...writes(other.api)]) expect((await call).status).toBe(403);
    for (const call of [...reads(outsider.api), ...writes(outsider.api)])
      expect((await call).status).toBe(404);
    for (const call of [...reads(fixture.anonymous), ...writes(fixture.anonymous)])
      expect((await call).status).toBe(401);
  });

  test("the audit log records every change with the previous values", async () => {
    const [email, next] = [fresh(), fresh()];
    const made = await fixture.owner.api.post(path, { email, name: "A" });
    const moved = await fixture.owner.api.patch(`${path}/${made.body.id}`, { email: next, name: "B" });
    await fixture.owner.api.delete(`${path}/${moved.body.id}`);
    const rows = await fixture.store.reads
      .selectFrom("audit_log")
      .selectAll()
      .where("subject_id", "in", [made.body.id, moved.body.id])
      .orderBy("id")
      .execute();
    expect(
      rows.map((row) => [row.action, JSON.parse(row.before ?? "null"), JSON.parse(row.after ?? "null")]),
    ).toEqual([
      ["customer.created", null, { email, name: "A", discord_id: null }],
      [
        "customer.updated",
        { email, name: "A", id: made.body.id },
        { email: next, name: "B", id: moved.body.id, licenses_moved: 0 },
      ],
      ["customer.deleted", { email: next, name: "B", discord_id: null }, null],
    ]);
  });
});
