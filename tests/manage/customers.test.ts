import { expect, test } from "bun:test";
import { addTransfer } from "@countersign/store/queries/transfers/transfers";
import { type AddedLicense, addLicense } from "../support/add-license.ts";
import { allRows, refusedFields } from "../support/answers.ts";
import { auditOf, recorded } from "../support/audit-of.ts";
import type { TestDatabase } from "../support/databases.ts";
import { logRequests } from "../support/journal.ts";
import { openPortalFixture } from "../support/portal-fixture.ts";
import { runHere } from "../support/run-command.ts";
import { storedRow } from "../support/stored-rows.ts";
import { newId } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";
import { transferRow } from "../support/transfer-row.ts";
import { until } from "../support/until.ts";

const fresh = () => `${newId()}@example.com`;

async function openCustomers(make: () => Promise<TestDatabase>) {
  const fixture = await openPortalFixture(make);
  const { api } = fixture.owner;
  const path = `/organizations/${fixture.organizationId}/customers`;
  return {
    ...fixture,
    api,
    path,
    licenseOf: (id: string) => storedRow(fixture.store.reads, "licenses", { id }),
    licensed: (customer: { email?: string; name?: string; discordId?: string }) =>
      addLicense(fixture, { customer }),
    create: (body: object) => api.post(path, body),
    update: (id: string | null | undefined, body: object, headers = {}) =>
      api.patch(`${path}/${id}`, body, headers),
  };
}

/** Their queries are tested in the store, and whose customers they are, with all routes, in tests/routes. */
testsOn("postgres", "customers", openCustomers, (fixture) => {
  test("a customer is created once per email address, ignoring case, and keeps its spelling", async () => {
    const email = `Ada.${fresh()}`;
    const made = await fixture.create({ email, name: "Ada", discord_id: "77" });
    const { id } = made.body;
    const shown = { email, name: "Ada", discord_id: "77", license_count: 0 };
    expect(made).toMatchObject({ status: 201, body: shown });
    const body = { code: "customer_exists", params: { customer_id: id }, errors: [{ field: "email" }] };
    const again = await fixture.create({ email: email.toUpperCase() });
    expect(again).toMatchObject({ status: 409, body });
    const respelled = await fixture.update(id, { email: email.toUpperCase() });
    expect(respelled.body).toMatchObject({ id, email: email.toUpperCase() });
  });

  test("a customer needs an email address or a Discord ID", async () => {
    const error = { field: "email", code: "email_or_discord_id" };
    for (const body of [{}, { name: "Ada" }, { email: null, discord_id: null }])
      expect(await fixture.create(body)).toMatchObject({ status: 422, body: { errors: [error] } });
    const wrong = { email: "ada", discord_id: "ada#1", name: "", id: "x" };
    expect(refusedFields(await fixture.create(wrong))).toEqual([422, ...Object.keys(wrong).sort()]);
    const { body } = await fixture.create({ email: fresh() });
    expect((await fixture.update(body.id, { email: null })).status).toBe(422);
  });

  test("a customer's profile counts licenses by status and shows the last use, and lists them in pages", async () => {
    const customer = { email: fresh(), name: "N" };
    const license = await addLicense(fixture, { customer });
    const expired = await addLicense(fixture, { customer, expiresAtMs: Date.now() - 1_000 });
    const own = `${fixture.path}/${license.customerId}`;
    const profile = async () => (await fixture.api.get(own)).body;
    const licenses = { active: 1, expired: 1, revoked: 0 };
    expect(await profile()).toMatchObject({ ...customer, license_count: 2, licenses, last_seen_at: null });
    const before = Date.now();
    await fixture.publicApi.validate({ license_key: license.key });
    await until("the sighting is recorded", async () => (await profile()).last_seen_at !== null);
    expect(Date.parse((await profile()).last_seen_at)).toBeGreaterThanOrEqual(before - 1_000);
    expect(await allRows(fixture.api, `${own}/licenses?limit=1`)).toMatchObject([
      { license_key: license.key, customer_email: customer.email, customer_name: "N", status: "active" },
      { license_key: expired.key, status: "expired" },
    ]);
    const viewer = await fixture.member(["customers:view"]);
    expect((await viewer.api.get(`${own}/licenses`)).status).toBe(403);
  });

  test("the list of customers is paginated newest first, with counts, and searched by substring, ignoring case", async () => {
    const seller = await fixture.seller();
    const path = `/organizations/${seller.organizationId}/customers`;
    for (const person of [
      { email: "ada@lovelace.example", name: "Ada Ömer" },
      { email: "grace@hopper.example", name: "Grace 100%" },
      { discord_id: "424242", name: "Nameless_One" },
    ])
      expect((await seller.owner.api.post(path, person)).status).toBe(201);
    for (const email of ["ada@lovelace.example", "ADA@lovelace.example"])
      await addLicense(seller, { customer: { email } });
    const found = async (search: string) => {
      const query = search === "" ? "" : `?search=${encodeURIComponent(search)}`;
      const rows = await allRows<{ name: string; license_count: number }>(seller.owner.api, path + query);
      return rows.map(({ name, license_count }) => `${name}: ${license_count}`);
    };
    const [ada, grace, nameless] = ["Ada Ömer: 2", "Grace 100%: 0", "Nameless_One: 0"];
    for (const [search, names] of [
      ["", [nameless, grace, ada]],
      ["LOVELACE", [ada]],
      ["öMER", [ada]],
      ["2424", [nameless]],
      ["0%", [grace]],
      ["s_o", [nameless]],
      ["example", [grace, ada]],
      ["nobody", []],
    ] as const)
      expect([search, await found(search)]).toEqual([search, [...names]]);
    expect((await seller.owner.api.get(`${path}?cursor=nonsense`)).status).toBe(422);
  });

  test("a customer's changed name or Discord ID applies to the organization's record and to its licenses", async () => {
    const email = fresh();
    const license = await fixture.licensed({ email, name: "Old" });
    const id = license.customerId;
    const changed = await fixture.update(id, { name: "Zephyrine", discord_id: "99" });
    expect(changed.body).toMatchObject({ id, email, name: "Zephyrine", discord_id: "99", license_count: 1 });
    expect((await fixture.publicApi.lookup(license.key)).body).toMatchObject({
      global_customer_id: id,
      customer_name: "Zephyrine",
      customer_discord_id: "99",
    });
    expect((await fixture.licenseOf(license.id)).search_text).toContain("zephyrine");
    expect((await fixture.api.get(`${fixture.path}?search=zephyr`)).body.data).toHaveLength(1);
    const cleared = await fixture.update(id, { name: null });
    expect(cleared.body).toMatchObject({ name: null, discord_id: "99" });
  });

  test("a changed email address moves licenses to the customer with that address, and IP blocks follow at once", async () => {
    const [wrong, right] = [fresh(), fresh()];
    const licenses = [
      await fixture.licensed({ email: wrong, name: "Ada", discordId: "5" }),
      await fixture.licensed({ email: wrong }),
    ] as const;
    const [{ id: first, key, customerId: oldId }] = licenses;
    await fixture.api.post(`${fixture.path}/${oldId}/ip-blocks`, { cidr: "127.0.0.0/8" });
    const before = await fixture.licenseOf(first);
    const { body: changed } = await fixture.update(oldId, { email: right });
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
    expect((await fixture.api.get(`${fixture.path}/${oldId}`)).status).toBe(404);
    expect(await fixture.stored("customers", { email: wrong })).toEqual([]);
    const status = async () => (await fixture.publicApi.validate({ license_key: key })).body.status;
    expect(await status()).toBe("ip_blocked");
    const blocks = `${fixture.path}/${changed.id}/ip-blocks`;
    const [block] = (await fixture.api.get(blocks)).body.data;
    await fixture.api.delete(`${blocks}/${block.id}`);
    expect(await status()).toBe("active");
  });

  /** Which of two blocks of one network stays: packages/store/queries/ip-blocks/blocks.test.ts. */
  test("two customers are merged when one gets the other's email address", async () => {
    const email = fresh();
    const one = await fixture.licensed({ email: fresh(), name: "One" });
    const two = await fixture.licensed({ email, name: "Two", discordId: "222" });
    const blocksOf = ({ customerId }: AddedLicense) => `${fixture.path}/${customerId}/ip-blocks`;
    for (const license of [one, two]) await fixture.api.post(blocksOf(license), { cidr: "198.51.100.1" });
    await fixture.api.post(blocksOf(one), { cidr: "198.51.100.2" });
    const merged = await fixture.update(one.customerId, { email });
    const both = { id: two.customerId, name: "One", discord_id: "222", license_count: 2 };
    expect(merged.body).toMatchObject(both);
    const blocks = await allRows<{ cidr: string }>(fixture.api, blocksOf(two));
    expect(blocks.map(({ cidr }) => cidr).sort()).toEqual(["198.51.100.1/32", "198.51.100.2/32"]);
  });

  test("a Discord ID identifies a customer only without an email address", async () => {
    const discord_id = String(Date.now());
    const license = await fixture.licensed({ discordId: discord_id });
    const email = fresh();
    const { body: withEmail } = await fixture.update(license.customerId, { email });
    expect(withEmail).toMatchObject({ email, discord_id, license_count: 1 });
    expect(withEmail.id).not.toBe(license.customerId);
    expect((await fixture.update(withEmail.id, { discord_id: "1234" })).body.id).toBe(withEmail.id);
    const { body: back } = await fixture.update(withEmail.id, { email: null, discord_id });
    expect(back).toMatchObject({ email: null, discord_id });
    expect((await fixture.licenseOf(license.id)).customer_id).toBe(back.id);
  });

  test("a stale update of a customer is refused", async () => {
    const { body, headers } = await fixture.create({ email: fresh() });
    const guard = { "if-match": headers.get("etag") ?? "" };
    const rename = async (name: string) => (await fixture.update(body.id, { name }, guard)).status;
    expect([await rename("A"), await rename("B")]).toEqual([200, 412]);
  });

  test("a customer can only be deleted without licenses, and their IP blocks are deleted too", async () => {
    const email = fresh();
    const license = await fixture.licensed({ email });
    const own = `${fixture.path}/${license.customerId}`;
    const remove = async () => (await fixture.api.delete(own)).status;
    const stored = async () => [
      ...(await fixture.stored("customers", { email })),
      ...(await fixture.stored("ip_blocks", { scope_id: String(license.customerId) })),
    ];
    await fixture.api.post(`${own}/ip-blocks`, { cidr: "198.51.100.9" });
    expect([await remove(), (await stored()).length]).toEqual([409, 2]);
    await fixture.api.delete(`/licenses/${license.id}`);
    expect([await remove(), await stored()]).toEqual([204, []]);
    expect([await remove(), (await fixture.api.get(own)).status]).toEqual([404, 404]);
  });

  test("the audit log records every change of a customer with the previous values", async () => {
    const [email, next] = [fresh(), fresh()];
    const { id } = (await fixture.create({ email, name: "A" })).body;
    const moved = (await fixture.update(id, { email: next, name: "B" })).body.id;
    await fixture.api.delete(`${fixture.path}/${moved}`);
    const log = [...(await auditOf(fixture, id)), ...(await auditOf(fixture, moved))].map(recorded);
    const actorId = fixture.owner.userId;
    const first = { email, name: "A" };
    const last = { email: next, name: "B" };
    const changed = { before: { ...first, id }, after: { ...last, id: moved, licenses_moved: 0 } };
    expect(log).toEqual([
      { action: "customer.created", actorId, before: null, after: { ...first, discord_id: null } },
      { action: "customer.updated", actorId, ...changed },
      { action: "customer.deleted", actorId, before: { ...last, discord_id: null }, after: null },
    ]);
  });

  test("an export has everything about a customer, and nothing about others, in the dashboard and by command", async () => {
    const { store, organizationId, productId, database } = fixture;
    const [email, other] = [fresh(), fresh()];
    const own = await fixture.licensed({ email, name: "Ada" });
    const received = await fixture.licensed({ email: other, name: "Somebody else" });
    await fixture.api.patch(`/licenses/${received.id}`, { customer_email: email });
    const customerId = String(own.customerId);
    const at = Date.now();
    await fixture.api.patch(`/licenses/${own.id}`, { notes: "Likes tea" });
    await fixture.api.post(`${fixture.path}/${customerId}/ip-blocks`, { cidr: "198.51.100.7" });
    const transfer = transferRow({
      ...{
        organization_id: organizationId,
        product_id: productId,
        license_id: received.id,
        state: "approved",
      },
      ...{ from_email: other, to_email: email, to_customer_id: customerId, decided_at: at - 1_000 },
    });
    await store.transaction((db) => addTransfer(db, transfer));
    const request = { organization_id: organizationId, product_id: productId };
    await logRequests(database.location, [
      { ...request, license_id: own.id, ip: "203.0.113.1" },
      { ...request, license_id: received.id, ip: "203.0.113.2" },
      { ...request, license_id: received.id, ip: "203.0.113.3", at: at - 5_000 },
    ]);
    const path = `${fixture.path}/${customerId}/export`;
    const { status, text, headers } = await fixture.api.get(path);
    expect([status, headers.get("content-type")]).toEqual([200, "application/x-ndjson; charset=utf-8"]);
    expect(headers.get("content-disposition")).toContain(`customer-${customerId}.jsonl`);
    const lines = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const dataOf = (kind: string) => lines.filter((line) => line.kind === kind).map(({ data }) => data);
    expect(dataOf("customer")).toMatchObject([{ id: customerId, email, name: "Ada" }]);
    expect(dataOf("ip_block")).toMatchObject([{ tier: "customer", scope_id: customerId }]);
    expect(dataOf("transfer")).toMatchObject([{ id: transfer.id, role: "recipient", email, name: null }]);
    expect(
      dataOf("license")
        .map(({ id }) => id)
        .sort(),
    ).toEqual([own.id, received.id].sort());
    expect(dataOf("license").find(({ id }) => id === own.id)).toMatchObject({ notes: "Likes tea" });
    // What the former customer of a license did with it is not this customer's.
    expect(
      dataOf("request")
        .map(({ ip }) => ip)
        .sort(),
    ).toEqual(["203.0.113.1", "203.0.113.2"]);
    expect(dataOf("event").map(({ type }) => type)).toContain("license.updated");
    expect(dataOf("audit_entry").map(({ action }) => action)).toContain("license.updated");
    expect(lines.at(-1)).toEqual({ kind: "end", data: { lines: lines.length - 1 } });
    for (const secret of [other, "Somebody else", "203.0.113.3", "For Grace", fixture.owner.email])
      expect(text).not.toContain(secret);
    const [entry] = (await auditOf(fixture, customerId)).filter(
      ({ action }) => action === "customer.exported",
    );
    expect(JSON.stringify(entry)).not.toContain(email);
    const named = ["--organization", organizationId, "--email", email.toUpperCase()];
    const printed = await runHere(["customer", "export", ...named], database.environment);
    expect(printed.code).toBe(0);
    const kinds = (one: string) =>
      one
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).kind);
    expect(kinds(printed.stdout).filter((kind) => kind !== "audit_entry")).toEqual(
      kinds(text).filter((kind) => kind !== "audit_entry"),
    );
    const unknown = ["customer", "export", "--organization", organizationId, "--email", fresh()];
    expect((await runHere(unknown, database.environment)).stderr).toBe(
      "The organization has no such customer.\n",
    );
    const few = await fixture.member(["customers:manage", "licenses:view"]);
    expect(await few.api.get(path)).toMatchObject({
      status: 403,
      body: { code: "permission_missing", params: { permission: "requests:view" } },
    });
  });

  test("a license that got another customer shows each of them their own part, also after an email address has changed", async () => {
    const { organizationId, productId, database } = fixture;
    const [ada, bob, later] = [fresh(), fresh(), fresh()];
    const license = await fixture.licensed({ email: ada, name: "Ada" });
    const { customerId: bobId } = await fixture.licensed({ email: bob, name: "Bob" });
    const log = (ip: string) => {
      const about = { organization_id: organizationId, product_id: productId, license_id: license.id };
      return logRequests(database.location, [{ ...about, ip, tracked: true }]);
    };
    await fixture.publicApi.validate({ license_key: license.key });
    await fixture.api.patch(`/licenses/${license.id}`, { notes: "For Ada" });
    await log("203.0.113.21");
    await fixture.api.patch(`/licenses/${license.id}`, { customer_email: bob, notes: "For Bob" });
    await log("203.0.113.22");
    await fixture.api.patch(`/licenses/${license.id}`, { max_ips: 7 });

    const exportOf = async (id: string | null) => {
      const { text } = await fixture.api.get(`${fixture.path}/${id}/export`);
      const lines = text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
        .filter(({ data }) => [data.id, data.license_id, data.subject_id].includes(license.id));
      const dataOf = (kind: string) => lines.filter((line) => line.kind === kind).map(({ data }) => data);
      const whole = JSON.stringify(lines);
      return { dataOf, whole, ips: dataOf("request").map(({ ip }) => ip) };
    };
    const ofBob = await exportOf(bobId);
    expect(ofBob.ips).toEqual(["203.0.113.22"]);
    expect(ofBob.dataOf("license")).toMatchObject([{ notes: "For Bob", ips: [] }]);
    expect(ofBob.dataOf("event").map(({ type }) => type)).toEqual(["license.updated", "license.updated"]);
    expect(ofBob.dataOf("audit_entry")).toHaveLength(2);
    for (const text of [ada, '"Ada"', "For Ada", "203.0.113.21"]) expect(ofBob.whole).not.toContain(text);
    const checkAda = async (id: string | null) => {
      const ofAda = await exportOf(id);
      expect(ofAda.ips).toContain("203.0.113.21");
      const [former] = ofAda.dataOf("former_license");
      expect(former).toMatchObject({ product_id: productId, ips: [{ ip: "127.0.0.1" }] });
      expect(former.held.at(-1).until).toMatch(/^20/);
      expect(ofAda.dataOf("ip_address").map(({ ip }) => ip)).toContain("203.0.113.21");
      const { previous, license: shown } = ofAda.dataOf("event").at(-1).data;
      expect([previous.customer_email, shown]).toEqual([ada, undefined]);
      expect(ofAda.dataOf("audit_entry").map(({ after }) => after)).toContain(null);
      for (const text of [bob, '"Bob"', "For Bob", "203.0.113.22"]) expect(ofAda.whole).not.toContain(text);
    };
    const { customerId } = license;
    await checkAda(customerId);
    const { body: moved } = await fixture.update(customerId, { email: later });
    const { body: again } = await fixture.update(moved.id, { email: fresh() });
    expect(new Set([customerId, moved.id, again.id]).size).toBe(3);
    await checkAda(again.id);
    expect((await fixture.api.get(`${fixture.path}/${again.id}/export`)).text).toContain(later);
  });

  test("a customer is erased after the number of licenses was confirmed, by the API and by command", async () => {
    const { organizationId, database, store } = fixture;
    const [email, other] = [fresh(), fresh()];
    const { id, customerId } = await fixture.licensed({ email, name: "Ada" });
    await fixture.licensed({ email: other });
    const path = `${fixture.path}/${customerId}/erasure`;
    const counted = await fixture.api.get(path);
    expect(counted).toMatchObject({ status: 200, body: { licenses: 1, ip_blocks: 0, transfers: 0 } });
    for (const licenses of [0, 2])
      expect(await fixture.api.post(path, { licenses })).toMatchObject({
        status: 409,
        body: { code: "customer_licenses_changed", params: { count: 1 } },
      });
    const few = await fixture.member(["customers:manage"]);
    for (const refused of [await few.api.get(path), await few.api.post(path, { licenses: 1 })])
      expect(refused).toMatchObject({ status: 403, body: { params: { permission: "licenses:delete" } } });
    expect(await fixture.api.post(path, { licenses: 1 })).toMatchObject({ status: 202, body: counted.body });
    for (const gone of [await fixture.api.get(path), await fixture.api.post(path, { licenses: 1 })])
      expect(gone).toMatchObject({ status: 404, body: { code: "customer_not_found" } });
    const again = await fixture.licensed({ email });
    expect(again.customerId).not.toBe(customerId);
    const [entry] = await auditOf(fixture, String(customerId));
    expect(entry).toMatchObject({ action: "customer.erasure_requested", subject_name: null });
    expect(await storedRow(store.reads, "licenses", { id: String(id) })).toMatchObject({
      customer_id: customerId,
    });

    const run = (...rest: string[]) =>
      runHere(
        ["customer", "erase", "--organization", organizationId, "--email", email, ...rest],
        database.environment,
      );
    expect((await run("--dry-run", "--json")).stdout).toContain('"erased":false');
    expect((await run("--licenses", "5")).stderr).toBe("The customer has 1 licenses. Nothing was changed.\n");
    expect((await run()).stderr).toContain("--dry-run");
    const erased = await run("--licenses", "1");
    expect([erased.code, erased.stdout]).toEqual([0, expect.stringContaining("is being erased")]);
    expect((await run("--dry-run")).stderr).toBe("The organization has no such customer.\n");
  });

  test("a change of a customer, even a deletion, does not affect what another organization sees of them", async () => {
    const [email, other] = [fresh(), fresh()];
    const rival = await fixture.seller();
    const ours = await fixture.licensed({ email, name: "Our name" });
    const theirs = await addLicense(rival, { customer: { email: email.toUpperCase(), name: "Secret name" } });
    const own = `/${ours.customerId}`;
    for (const read of [own, `${own}/licenses`, `?search=${email.slice(0, 20)}`]) {
      const { text } = await fixture.api.get(fixture.path + read);
      expect(text).toContain(String(ours.customerId));
      for (const secret of ["Secret name", theirs.key, String(theirs.customerId)])
        expect(text).not.toContain(secret);
    }
    const customers = `/organizations/${rival.organizationId}/customers`;
    const view = async () => (await rival.owner.api.get(`${customers}/${theirs.customerId}`)).body;
    const before = await view();
    expect(before).toMatchObject({ name: "Secret name", license_count: 1 });
    const { body: moved } = await fixture.update(ours.customerId, { name: "Changed", email: other });
    expect(moved).toMatchObject({ name: "Changed", license_count: 1 });
    await fixture.api.delete(`/licenses/${ours.id}`);
    expect((await fixture.api.delete(`${fixture.path}/${moved.id}`)).status).toBe(204);
    expect(await view()).toEqual(before);
    expect((await fixture.licenseOf(theirs.id)).customer_id).toBe(theirs.customerId);
  });
});

testsOn("postgres", "concurrent changes to customers", openCustomers, (fixture) => {
  const emailOf = async ({ id }: AddedLicense) => {
    const { customer_id } = await fixture.licenseOf(id);
    return (await fixture.api.get(`${fixture.path}/${customer_id}`)).body.email;
  };

  test("swapping two customers' email addresses loses no license", async () => {
    const [one, two] = [fresh(), fresh()];
    const [a, b] = [await fixture.licensed({ email: one }), await fixture.licensed({ email: two })];
    const statuses = await Promise.all([
      fixture.update(a.customerId, { email: two }),
      fixture.update(b.customerId, { email: one }),
    ]);
    for (const { status } of statuses) expect([200, 404]).toContain(status);
    for (const license of [a, b]) expect([one, two]).toContain(await emailOf(license));
  });

  test("licenses created while their customer's email address changes belong to an existing customer", async () => {
    const [one, two] = [fresh(), fresh()];
    const first = await fixture.licensed({ email: one });
    const [moved, ...added] = await Promise.all([
      fixture.update(first.customerId, { email: two }),
      ...[one, two, one, two, one, two].map((email) => fixture.licensed({ email })),
    ]);
    expect(moved.status).toBe(200);
    for (const license of [first, ...added]) expect([one, two]).toContain(await emailOf(license));
  });

  test("validations that register IP addresses succeed while customers are merged", async () => {
    const [one, two] = [fresh(), fresh()];
    const licenses: AddedLicense[] = [];
    for (let index = 0; index < 12; index++)
      licenses.push(await fixture.licensed({ email: index % 2 === 0 ? one : two }));
    const [changed, ...answers] = await Promise.all([
      fixture.update(licenses[0]?.customerId, { email: two, name: "Both" }),
      ...licenses.toReversed().map(({ key }) => fixture.publicApi.validate({ license_key: key })),
    ]);
    expect(changed.body.license_count).toBe(12);
    for (const answer of answers) expect(answer.body.status).toBe("active");
  });
});
