import { expect, test } from "bun:test";
import { addLicense } from "../support/add-license.ts";
import type { TestDatabase } from "../support/databases.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { testsOn } from "../support/tests-on.ts";
import { until } from "../support/until.ts";

const fresh = () => `${crypto.randomUUID()}@example.com`;

async function openCustomers(make: () => Promise<TestDatabase>) {
  const fixture = await openManageFixture(make);
  const path = `/organizations/${fixture.organizationId}/customers`;
  const licenseOf = (id: string) =>
    fixture.store.reads
      .selectFrom("licenses")
      .select(["customer_id", "search_text", "updated_at"])
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
  const personOf = (email: string) =>
    fixture.store.reads
      .selectFrom("customers")
      .selectAll()
      .where("email", "=", email)
      .where("organization_id", "=", fixture.organizationId)
      .executeTakeFirst();
  const blockCount = async () => {
    const { customer_block_count: count } = await fixture.store.reads
      .selectFrom("organizations")
      .select("customer_block_count")
      .where("id", "=", fixture.organizationId)
      .executeTakeFirstOrThrow();
    return count;
  };
  /** A second organization of another owner, with its own product. */
  const elsewhere = async () => {
    const owner = await fixture.person();
    const { body: organization } = await owner.api.post("/organizations", { name: "Rival" });
    const organizationId = String(organization.id);
    const product = await owner.api.post(`/organizations/${organizationId}/products`, { name: "Theirs" });
    const at = { store: fixture.store, organizationId, productId: String(product.body.id) };
    return {
      owner,
      path: `/organizations/${organizationId}/customers`,
      addLicense: (settings: Parameters<typeof addLicense>[1]) => addLicense(at, settings),
    };
  };
  const change = (id: string | null | undefined, body: object) =>
    fixture.owner.api.patch(`${path}/${id}`, body);
  return { ...fixture, path, licenseOf, personOf, blockCount, elsewhere, change };
}

/** Their queries are tested in the store, and whose customers they are, with all routes, in tests/routes. */
testsOn("postgres", "customers", openCustomers, (fixture) => {
  test("a customer is created once per email address, ignoring case, and keeps its spelling", async () => {
    const email = `Ada.${fresh()}`;
    const made = await fixture.owner.api.post(fixture.path, { email, name: "Ada", discord_id: "77" });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ email, name: "Ada", discord_id: "77", license_count: 0 });
    const again = await fixture.owner.api.post(fixture.path, { email: email.toUpperCase() });
    expect(again.status).toBe(409);
    expect(again.body.errors[0].field).toBe("email");
    expect(again.body).toMatchObject({ code: "customer_exists", params: { customer_id: made.body.id } });
    const racing = { email: fresh() };
    const answers = await Promise.all([1, 2, 3].map(() => fixture.owner.api.post(fixture.path, racing)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    const respelled = await fixture.change(made.body.id, { email: email.toUpperCase() });
    expect(respelled.body).toMatchObject({ id: made.body.id, email: email.toUpperCase() });
  });

  test("a customer needs an email address or a Discord ID", async () => {
    for (const body of [{}, { name: "Ada" }, { email: null, discord_id: null }]) {
      const { status, body: problem } = await fixture.owner.api.post(fixture.path, body);
      expect(status).toBe(422);
      expect(problem.errors[0]).toMatchObject({ field: "email", code: "email_or_discord_id" });
    }
    const wrong = { email: "ada", discord_id: "ada#1", name: "", id: "x" };
    const { body: refused } = await fixture.owner.api.post(fixture.path, wrong);
    const fields = refused.errors.map((error: { field: string }) => error.field);
    expect(fields.sort()).toEqual(Object.keys(wrong).sort());
    const { body } = await fixture.owner.api.post(fixture.path, { email: fresh() });
    expect((await fixture.change(body.id, { email: null })).status).toBe(422);
  });

  test("the profile counts licenses by status and shows the last use, and its licenses are listed in pages", async () => {
    const customer = { email: fresh(), name: "N" };
    const license = await addLicense(fixture, { customer });
    const expired = await addLicense(fixture, { customer, expiresAtMs: Date.now() - 1_000 });
    const own = `${fixture.path}/${license.customerId}`;
    const profile = async () => (await fixture.owner.api.get(own)).body;
    const licenses = { active: 1, expired: 1, revoked: 0 };
    expect(await profile()).toMatchObject({ ...customer, license_count: 2, licenses, last_seen_at: null });
    const before = Date.now();
    await fixture.publicApi.validate({ license_key: license.key });
    await until("the sighting is recorded", async () => (await profile()).last_seen_at !== null);
    expect(Date.parse((await profile()).last_seen_at)).toBeGreaterThanOrEqual(before - 1_000);
    const first = (await fixture.owner.api.get(`${own}/licenses?limit=1`)).body;
    const second = (await fixture.owner.api.get(`${own}/licenses?limit=1&cursor=${first.next_cursor}`)).body;
    expect([...first.data, ...second.data]).toMatchObject([
      { license_key: license.key, customer_email: customer.email, customer_name: "N", status: "active" },
      { license_key: expired.key, status: "expired" },
    ]);
    expect(second.next_cursor).toBeNull();
    const viewer = await fixture.member(["customers:view"]);
    expect((await viewer.api.get(`${own}/licenses`)).status).toBe(403);
  });

  test("the list is paginated newest first, with counts, and is searched by substring, ignoring case", async () => {
    const own = await fixture.elsewhere();
    interface Listed {
      readonly data: readonly { readonly name: string; readonly license_count: number }[];
      readonly next_cursor: string | null;
    }
    const list = async (query: string): Promise<Listed> =>
      (await own.owner.api.get(`${own.path}?${query}`)).body;
    const people = [
      { email: "ada@lovelace.example", name: "Ada Ömer" },
      { email: "grace@hopper.example", name: "Grace 100%" },
      { discord_id: "424242", name: "Nameless_One" },
    ];
    for (const person of people) expect((await own.owner.api.post(own.path, person)).status).toBe(201);
    for (const email of ["ada@lovelace.example", "ADA@lovelace.example"])
      await own.addLicense({ customer: { email } });
    const first = await list("limit=2");
    const second = await list(`limit=2&cursor=${first.next_cursor}`);
    expect([...first.data, ...second.data].map(({ name, license_count }) => [name, license_count])).toEqual([
      ["Nameless_One", 0],
      ["Grace 100%", 0],
      ["Ada Ömer", 2],
    ]);
    expect(second.next_cursor).toBeNull();
    const found = async (search: string) =>
      (await list(`search=${encodeURIComponent(search)}`)).data.map(({ name }) => name);
    expect(await found("LOVELACE")).toEqual(["Ada Ömer"]);
    expect(await found("öMER")).toEqual(["Ada Ömer"]);
    expect(await found("2424")).toEqual(["Nameless_One"]);
    expect(await found("0%")).toEqual(["Grace 100%"]);
    expect(await found("s_o")).toEqual(["Nameless_One"]);
    expect(await found("example")).toEqual(["Grace 100%", "Ada Ömer"]);
    expect(await found("nobody")).toEqual([]);
    expect((await own.owner.api.get(`${own.path}?cursor=nonsense`)).status).toBe(422);
  });

  test("a changed name or Discord ID applies to the organization's record and to its licenses", async () => {
    const email = fresh();
    const license = await addLicense(fixture, { customer: { email, name: "Old" } });
    const id = license.customerId ?? "";
    const changed = await fixture.change(id, { name: "Zephyrine", discord_id: "99" });
    expect(changed.body).toMatchObject({ id, email, name: "Zephyrine", discord_id: "99", license_count: 1 });
    expect((await fixture.publicApi.lookup(license.key)).body).toMatchObject({
      global_customer_id: id,
      customer_name: "Zephyrine",
      customer_discord_id: "99",
    });
    expect((await fixture.licenseOf(license.id)).search_text).toContain("zephyrine");
    expect((await fixture.owner.api.get(`${fixture.path}?search=zephyr`)).body.data).toHaveLength(1);
    const cleared = await fixture.change(id, { name: null });
    expect(cleared.body).toMatchObject({ name: null, discord_id: "99" });
  });

  test("a changed email address moves the licenses to the customer with that address, and IP blocks follow at once", async () => {
    const [wrong, right] = [fresh(), fresh()];
    const licenses = [
      await addLicense(fixture, { customer: { email: wrong, name: "Ada", discordId: "5" } }),
      await addLicense(fixture, { customer: { email: wrong } }),
    ] as const;
    const [{ id: first, key, customerId: oldId }] = licenses;
    await fixture.owner.api.post(`${fixture.path}/${oldId}/ip-blocks`, { cidr: "127.0.0.0/8" });
    const before = await fixture.licenseOf(first);
    const { body: changed } = await fixture.change(oldId, { email: right });
    expect(changed).toMatchObject({ email: right, name: "Ada", discord_id: "5", license_count: 2 });
    expect(changed.id).not.toBe(oldId);
    for (const license of licenses) {
      const now = await fixture.licenseOf(license.id);
      expect(now.customer_id).toBe(changed.id);
      expect(now.search_text).toContain(right.replaceAll("-", ""));
      expect(now.search_text).not.toContain(wrong.replaceAll("-", ""));
      expect(now.updated_at).toBeGreaterThan(before.updated_at);
      const { body } = await fixture.publicApi.lookup(license.key);
      expect(body).toMatchObject({ global_customer_id: changed.id, customer_email: right });
    }
    expect((await fixture.owner.api.get(`${fixture.path}/${oldId}`)).status).toBe(404);
    expect(await fixture.personOf(wrong)).toBeUndefined();
    const status = async () => (await fixture.publicApi.validate({ license_key: key })).body.status;
    expect(await status()).toBe("ip_blocked");
    const blocks = `${fixture.path}/${changed.id}/ip-blocks`;
    const [block] = (await fixture.owner.api.get(blocks)).body.data;
    await fixture.owner.api.delete(`${blocks}/${block.id}`);
    expect(await status()).toBe("active");
  });

  test("two customers are merged when one gets the other's email address", async () => {
    const [one, two] = [fresh(), fresh()];
    const a = await addLicense(fixture, { customer: { email: one, name: "One" } });
    const b = await addLicense(fixture, { customer: { email: two, name: "Two", discordId: "222" } });
    const block = (id: string | null, cidr: string, expires_at: string | null = null) =>
      fixture.owner.api.post(`${fixture.path}/${id}/ip-blocks`, { cidr, expires_at });
    const before = await fixture.blockCount();
    await block(a.customerId, "198.51.100.1");
    await block(a.customerId, "198.51.100.2", "2099-01-01T00:00:00Z");
    await block(b.customerId, "198.51.100.2");
    await block(b.customerId, "198.51.100.1", "2099-01-01T00:00:00Z");
    const merged = await fixture.change(a.customerId, { email: two });
    const both = { id: b.customerId, name: "One", discord_id: "222", license_count: 2 };
    expect(merged.body).toMatchObject(both);
    const { data } = (await fixture.owner.api.get(`${fixture.path}/${b.customerId}/ip-blocks`)).body;
    const left = data.map((each: { cidr: string; expires_at: string | null }) => [
      each.cidr,
      each.expires_at,
    ]);
    const expected = ["198.51.100.1/32", "198.51.100.2/32"].map((cidr) => [cidr, null]);
    expect(left.sort()).toEqual(expected);
    expect(await fixture.blockCount()).toBe(before + 2);
  });

  test("a Discord ID identifies a customer only without an email address", async () => {
    const discord_id = String(Date.now());
    const license = await addLicense(fixture, { customer: { discordId: discord_id } });
    const email = fresh();
    const { body: withEmail } = await fixture.change(license.customerId ?? "", { email });
    expect(withEmail).toMatchObject({ email, discord_id, license_count: 1 });
    expect(withEmail.id).not.toBe(license.customerId);
    expect((await fixture.change(withEmail.id, { discord_id: "1234" })).body.id).toBe(withEmail.id);
    const { body: back } = await fixture.change(withEmail.id, { email: null, discord_id });
    expect(back).toMatchObject({ email: null, discord_id });
    expect((await fixture.licenseOf(license.id)).customer_id).toBe(back.id);
  });

  test("a stale update is refused", async () => {
    const { body, headers } = await fixture.owner.api.post(fixture.path, { email: fresh() });
    const guard = { "if-match": headers.get("etag") ?? "" };
    const rename = (name: string) => fixture.owner.api.patch(`${fixture.path}/${body.id}`, { name }, guard);
    expect([(await rename("A")).status, (await rename("B")).status]).toEqual([200, 412]);
  });

  test("a customer can only be deleted without licenses, and their IP blocks are deleted too", async () => {
    const email = fresh();
    const license = await addLicense(fixture, { customer: { email } });
    const own = `${fixture.path}/${license.customerId}`;
    await fixture.owner.api.post(`${own}/ip-blocks`, { cidr: "198.51.100.9" });
    expect((await fixture.owner.api.delete(own)).status).toBe(409);
    await fixture.store.transaction((db) => db.deleteFrom("licenses").where("id", "=", license.id).execute());
    const before = await fixture.blockCount();
    expect((await fixture.owner.api.delete(own)).status).toBe(204);
    expect(await fixture.blockCount()).toBe(before - 1);
    expect(await fixture.personOf(email)).toBeUndefined();
    expect((await fixture.owner.api.get(own)).status).toBe(404);
    expect((await fixture.owner.api.delete(own)).status).toBe(404);
  });

  test("the audit log records every change with the previous values", async () => {
    const [email, next] = [fresh(), fresh()];
    const made = await fixture.owner.api.post(fixture.path, { email, name: "A" });
    const moved = await fixture.change(made.body.id, { email: next, name: "B" });
    await fixture.owner.api.delete(`${fixture.path}/${moved.body.id}`);
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

  test("a change in one organization does not affect another, which sees only its own details, even after a deletion", async () => {
    const [email, other] = [fresh(), fresh()];
    const rival = await fixture.elsewhere();
    const ours = await addLicense(fixture, { customer: { email, name: "Our name" } });
    const theirs = await rival.addLicense({ customer: { email: email.toUpperCase(), name: "Secret name" } });
    await rival.addLicense({ customer: { email: other, name: "Their other" } });
    for (const own of [
      `/${ours.customerId}`,
      `/${ours.customerId}/licenses`,
      `?search=${email.slice(0, 20)}`,
    ]) {
      const { text } = await fixture.owner.api.get(fixture.path + own);
      expect(text).toContain(String(ours.customerId));
      for (const secret of ["Secret name", theirs.key, String(theirs.customerId)])
        expect(text).not.toContain(secret);
    }
    const view = async () => (await rival.owner.api.get(`${rival.path}/${theirs.customerId}`)).body;
    const before = await view();
    expect(before).toMatchObject({ name: "Secret name", license_count: 1 });
    const { body: moved } = await fixture.change(ours.customerId, { name: "Changed", email: other });
    expect(moved).toMatchObject({ name: "Changed", license_count: 1 });
    await fixture.store.transaction((db) => db.deleteFrom("licenses").where("id", "=", ours.id).execute());
    expect((await fixture.owner.api.delete(`${fixture.path}/${moved.id}`)).status).toBe(204);
    expect(await view()).toEqual(before);
    expect((await fixture.licenseOf(theirs.id)).customer_id).toBe(theirs.customerId);
    expect((await rival.owner.api.get(`${rival.path}?search=other`)).body.data).toHaveLength(1);
  });
});

testsOn("postgres", "customers who change at the same moment", openCustomers, (fixture) => {
  const customerOf = async ({ id }: { id: string }) => {
    const { customer_id } = await fixture.licenseOf(id);
    const { status, body } = await fixture.owner.api.get(`${fixture.path}/${customer_id}`);
    expect(status).toBe(200);
    return body;
  };

  test("swapping two customers' email addresses loses no license", async () => {
    const [one, two] = [fresh(), fresh()];
    const a = await addLicense(fixture, { customer: { email: one } });
    const b = await addLicense(fixture, { customer: { email: two } });
    const swaps = [
      fixture.change(a.customerId, { email: two }),
      fixture.change(b.customerId, { email: one }),
    ];
    for (const { status } of await Promise.all(swaps)) expect([200, 404]).toContain(status);
    for (const license of [a, b]) expect([one, two]).toContain((await customerOf(license)).email);
  });

  test("licenses created while their customer's email address changes belong to an existing customer", async () => {
    const [one, two] = [fresh(), fresh()];
    const first = await addLicense(fixture, { customer: { email: one } });
    const [moved, ...added] = await Promise.all([
      fixture.change(first.customerId, { email: two }),
      ...[one, two, one, two, one, two].map((email) => addLicense(fixture, { customer: { email } })),
    ]);
    expect(moved.status).toBe(200);
    for (const license of [first, ...added]) expect([one, two]).toContain((await customerOf(license)).email);
  });

  test("validations that register IP addresses succeed while customers are merged", async () => {
    const [one, two] = [fresh(), fresh()];
    const licenses: Awaited<ReturnType<typeof addLicense>>[] = [];
    for (let index = 0; index < 12; index++)
      licenses.push(await addLicense(fixture, { customer: { email: index % 2 === 0 ? one : two } }));
    const [changed, ...answers] = await Promise.all([
      fixture.change(licenses[0]?.customerId, { email: two, name: "Both" }),
      ...licenses.toReversed().map(({ key }) => fixture.publicApi.validate({ license_key: key })),
    ]);
    expect(changed.body.license_count).toBe(12);
    for (const answer of answers) expect(answer.body.status).toBe("active");
  });
});
