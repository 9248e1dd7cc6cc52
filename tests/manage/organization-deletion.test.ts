import { expect, setDefaultTimeout, test } from "bun:test";
import { dayMs } from "@countersign/domain/dates/lengths";
import { createLicenses } from "@countersign/store/queries/licenses/create";
import type { OrganizationRow } from "@countersign/store/tables/organizations";
import { organizationRemoval } from "../../apps/server/features/organizations/remove-due.ts";
import { apiOf } from "../support/api.ts";
import { auditOf } from "../support/audit-of.ts";
import { openedEmails } from "../support/emails.ts";
import { openManageFixture, type Person } from "../support/manage-fixture.ts";
import { addOrganizationRows } from "../support/organization-rows.ts";
import { requestLog } from "../support/request-log.ts";
import { storedRow } from "../support/stored-rows.ts";
import { newId } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);

/** `remove-due.test.ts` of the server shows what a removal deletes, and what it leaves. */
testsOn("sqlite", "deleting an organization", openManageFixture, (fixture) => {
  /** An organization with rows of every kind. */
  const firm = async () => {
    const owner = await fixture.person();
    const { body: made } = await owner.api.post("/organizations", { name: `Firm ${newId()}` });
    const id = String(made.id);
    const path = `/organizations/${id}`;
    const { body: product } = await owner.api.post(`${path}/products`, { name: "Tool" });
    const productId = String(product.id);
    const rows = await fixture.store.transaction((db) =>
      addOrganizationRows(db, { organizationId: id, productId }, `${id}@customers.example`, Date.now()),
    );
    const publicApi = apiOf(fixture.server.url, product.api_key);
    const validate = async () => (await publicApi.validate({ license_key: rows.licenseKey })).body.status;
    return { id, path, slug: String(made.slug), owner, productId, apiKey: product.api_key, rows, validate };
  };
  const askDelete = (person: Person, path: string, body: unknown) =>
    person.api.send("DELETE", path, JSON.stringify(body), { "content-type": "application/json" });
  const set = (id: string, columns: Partial<OrganizationRow>) =>
    fixture.change("organizations", { id }, columns);
  const read = (id: string) => storedRow(fixture.store.reads, "organizations", { id });
  /** The first part of a removal. The server does the second, a few seconds later. */
  const removeDue = () => organizationRemoval(fixture.store, { deleteOrganization: async () => {} }).run();

  test("a deletion names the organization; until it is due, all works and it can be cancelled, with an email each", async () => {
    const { id, path, slug, owner, validate } = await firm();
    for (const body of [{}, { confirm: slug, delete_after: "2020-01-01T00:00:00Z" }])
      expect((await askDelete(owner, path, body)).status).toBe(422);
    const wrong = await askDelete(owner, path, { confirm: "acme" });
    const error = { field: "confirm", code: "not_the_slug", params: { slug } };
    expect(wrong).toMatchObject({ status: 422, body: { errors: [error] } });
    expect((await read(id)).delete_after).toBeNull();
    const asked = await askDelete(owner, path, { confirm: slug });
    const dueMs = Date.parse(asked.body.delete_after);
    expect(dueMs - Date.now()).toBeWithin(14 * dayMs - 60_000, 14 * dayMs + 1_000);
    expect((await askDelete(owner, path, { confirm: slug })).body.delete_after).toBe(asked.body.delete_after);
    await removeDue();
    expect(await validate()).toBe("active");
    expect((await owner.api.patch(path, { name: "Still here" })).status).toBe(200);
    for (let time = 0; time < 2; time++)
      expect(await owner.api.post(`${path}/restore`)).toMatchObject({
        status: 200,
        body: { delete_after: null },
      });
    const actions = (await auditOf(fixture, id)).map(({ action }) => action);
    const both = ["organization.deletion_requested", "organization.restored"];
    expect(actions.filter((action) => both.includes(action))).toEqual(both);
    const emails = await openedEmails(fixture.store, { to: owner.email });
    const kinds = ["organization_deletion_requested", "organization_restored"];
    expect(emails.map((message) => message.kind)).toEqual(kinds);
    expect(emails[0]?.body_text).toMatch(/It will be deleted on \w+ \d+, \d{4} at \d\d:\d\d UTC/);
  });

  test("a deletion that is due removes the organization and its requests, and its key gets product_not_found", async () => {
    const [gone, stays] = [await firm(), await firm()];
    const member = await fixture.member(["members:view"], gone.id);
    expect(await gone.validate()).toBe("active");
    const logged = () => requestLog(fixture.store, { organization_id: gone.id });
    await until("its request is logged", async () => (await logged()).length === 1);
    await set(gone.id, { delete_after: 1 });
    await removeDue();
    expect(await gone.validate()).toBe("product_not_found");
    for (const { api } of [gone.owner, member]) expect((await api.get(gone.path)).status).toBe(404);
    expect((await gone.owner.api.get("/organizations")).body.data).toEqual([]);
    const again = await gone.owner.api.post("/organizations", { name: "New", slug: gone.slug });
    expect(again.body.slug).toBe(gone.slug);
    expect(await stays.validate()).toBe("active");
    // As if it was deleted long ago, so that the server finishes the removal the next time.
    await set(gone.id, { deleted_at: 1 });
    await until("the removal is finished", async () => (await read(gone.id)).delete_after === null);
    expect(await logged()).toEqual([]);
  });

  test("a restore of an organization at the last moment succeeds entirely or not at all", async () => {
    for (let round = 0; round < 4; round++) {
      const { id, path, owner, validate } = await firm();
      await set(id, { delete_after: 1 });
      const [back] = await Promise.all([owner.api.post(`${path}/restore`), removeDue()]);
      const { deleted_at: deletedAt } = await read(id);
      expect(await validate()).toBe(back.status === 200 ? "active" : "product_not_found");
      expect([back.status, deletedAt === null]).toEqual(back.status === 200 ? [200, true] : [404, false]);
    }
  });

  test("the export of an organization contains everything, line by line, and no secret", async () => {
    const { id, path, slug, owner, productId, apiKey, rows } = await firm();
    const license = { organizationId: id, productId, customerId: null, maxIps: 3 };
    const more = Array.from({ length: 450 }, () => ({ ...license, id: newId(), key: newId() }));
    await fixture.store.transaction((db) => createLicenses(db, more, Date.now()));
    const url = "https://hooks.example.com/in?a=b";
    const standard = { event_types: ["license.created"], auto_reenable: false };
    const headers = { "x-own": "hush-hush" };
    const plain = await owner.api.post(`${path}/webhooks`, { url, headers, ...standard });
    const discord = { url: "https://discord.com/api/webhooks/1/hush-hush", format: "discord" };
    const chat = await owner.api.post(`${path}/webhooks`, discord);
    expect([plain.status, chat.status]).toEqual([201, 201]);
    const answer = await owner.api.get(`${path}/export`);
    const { text } = answer;
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("application/x-ndjson; charset=utf-8");
    expect(answer.headers.get("content-disposition")).toBe(`attachment; filename="${slug}.jsonl"`);
    const lines = text
      .trimEnd()
      .split(/\n/)
      .map((line) => JSON.parse(line));
    const of = (wanted: string) => lines.filter((line) => line.kind === wanted).map((line) => line.data);
    expect(lines.at(-1)).toEqual({ kind: "end", data: { lines: lines.length - 1 } });
    const email = `${id}@customers.example`;
    for (const [kind, expected] of Object.entries({
      organization: [{ id, slug }],
      product: [{ name: "Tool" }],
      product_version: [{ version: "1.0.0", state: "latest" }],
      product_download: [{ title: "Manual" }],
      // Three default roles and one of its own.
      role: [{}, {}, {}, {}],
      member: [{ user_id: owner.userId }, { user_id: rows.member }],
      invitation: [{ state: "pending", role: { name: "Promised" } }],
      customer: [{ email, name: "Customer" }],
      ip_block: [{}, {}, {}],
      branding: [{ support_email: email, links: [] }],
      webhook: [
        { id: rows.endpoint, status: "disabled" },
        { id: plain.body.id, url, ...standard, product_ids: null, status: "enabled" },
        { id: chat.body.id, url: "https://discord.com/…", format: "discord", auto_reenable: true },
      ],
    }))
      expect([kind, of(kind)]).toMatchObject([kind, expected]);
    expect(Object.keys(of("branding")[0])).not.toContain("logo");
    const licenses = of("license");
    expect(new Set(licenses.map((one) => one.id)).size).toBe(451);
    expect(licenses.find((one) => one.license_key === rows.licenseKey)).toMatchObject({
      tags: ["vip"],
      ips: [{ ip: "203.0.113.7", registered_at: expect.any(String) }],
      is_lifetime: true,
      max_ips: 3,
    });
    const actions = of("audit_entry").map((entry) => entry.action);
    expect(actions).toEqual(expect.arrayContaining(["organization.created", "organization.exported"]));
    const secrets = [apiKey, plain.body.secret, chat.body.secret, "hush-hush"];
    for (const hidden of [...secrets, "sealed", "token_hash", '"hash"', "search_text"])
      expect(text).not.toContain(hidden);
  });
});
