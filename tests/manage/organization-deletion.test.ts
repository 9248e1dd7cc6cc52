import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { addAccessToken } from "@countersign/store/queries/access-tokens/tokens";
import { customerFor } from "@countersign/store/queries/customers/identify";
import { addIpBlocks } from "@countersign/store/queries/ip-blocks/blocks";
import { createLicenses, registerIp } from "@countersign/store/queries/licenses/create";
import { closeOrganization } from "@countersign/store/queries/organizations/remove";
import { replaceDownloads } from "@countersign/store/queries/products/downloads";
import { setVersion } from "@countersign/store/queries/versions/versions";
import { OrganizationRemoval } from "../../apps/server/features/organizations/remove-due.ts";
import { type Api, apiOf } from "../support/api.ts";
import { databases } from "../support/databases.ts";
import { openedEmails } from "../support/emails.ts";
import { openTestJournal, type TestJournal } from "../support/journal.ts";
import type { ManageAnswer } from "../support/manage-client.ts";
import { type ManageFixture, openManageFixture, type Person } from "../support/manage-fixture.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import { newId } from "../support/test-organization.ts";
import { until } from "../support/until.ts";

const dayMs = 24 * 60 * 60 * 1000;

describe.each(databases)("deleting an organization on $kind", ({ kind, make }) => {
  let fixture: ManageFixture;
  let journal: TestJournal;
  let secondNode: ServerProcess | null = null;
  beforeAll(async () => {
    fixture = await openManageFixture(make);
    journal = await openTestJournal(fixture.database.location);
    // Two servers share one PostgreSQL database, and both remove what is due.
    if (kind === "postgres") secondNode = await startServerProcess(fixture.database.environment);
  });
  afterAll(async () => {
    await secondNode?.stop();
    await journal.close();
    await fixture.close();
  });

  interface Firm {
    readonly id: string;
    readonly path: string;
    readonly slug: string;
    readonly owner: Person;
    readonly member: Person;
    readonly apiKey: string;
    readonly publicApi: Api;
    readonly licenseKey: string;
  }

  /** An organization with rows of every kind. */
  const firm = async (licenseCount = 1): Promise<Firm> => {
    const owner = await fixture.person();
    const made = await owner.api.post("/organizations", { name: `Firm ${newId()}` });
    const id = String(made.body.id);
    const path = `/organizations/${id}`;
    const product = await owner.api.post(`${path}/products`, { name: "Tool" });
    const productId = String(product.body.id);
    const member = await fixture.member(["members:view"], id);
    const role = await owner.api.post(`${path}/roles`, { name: "Promised", permissions: [] });
    await owner.api.post(`${path}/invitations`, { email: `${newId()}@example.com`, role_id: role.body.id });
    const licenses = Array.from({ length: licenseCount }, () => ({ id: newId(), key: `KEY-${newId()}` }));
    const first = licenses[0] ?? { id: "", key: "" };
    const nowMs = Date.now();
    await fixture.store.transaction(async (db) => {
      const who = { email: `${id}@customers.example`, discordId: null, name: "Customer" };
      const customerId = await customerFor(db, id, who, newId, nowMs);
      const belongs = { organizationId: id, productId, customerId, maxIps: 3 };
      await createLicenses(
        db,
        licenses.map((license) => ({ ...license, ...belongs })),
        nowMs,
      );
      await registerIp(db, first.id, "203.0.113.7", nowMs);
      await db
        .insertInto("license_tags")
        .values({ organization_id: id, tag: "vip", license_id: first.id })
        .execute();
      await setVersion(db, productId, { version: "1.0.0", state: "latest" }, nowMs);
      await replaceDownloads(db, productId, [
        {
          product_id: productId,
          position: 0,
          id: newId(),
          title: "Manual",
          url: "https://docs.example/",
          min_version: null,
          checksum: null,
        },
      ]);
      const block = { cidr: "198.51.100.0/24", note: "Ours", expiresAtMs: null };
      await addIpBlocks(
        db,
        [
          { id: newId(), scope: { tier: "organization", organizationId: id }, ...block },
          { id: newId(), scope: { tier: "license", organizationId: id, licenseId: first.id }, ...block },
        ],
        nowMs,
      );
      await addAccessToken(
        db,
        {
          id: newId(),
          hash: newId(),
          shownPrefix: "cst_x",
          name: "Build",
          userId: null,
          organizationId: id,
          permissions: [],
          createdBy: owner.userId,
          expiresAtMs: null,
        },
        nowMs,
      );
    });
    const apiKey = String(product.body.api_key);
    const publicApi = apiOf(fixture.server.url, apiKey);
    return { id, path, slug: made.body.slug, owner, member, apiKey, publicApi, licenseKey: first.key };
  };

  const askDelete = (person: Person, path: string, body: unknown): Promise<ManageAnswer> =>
    person.api.send("DELETE", path, JSON.stringify(body), { "content-type": "application/json" });
  const makeDue = (id: string) =>
    fixture.store.transaction((db) =>
      db
        .updateTable("organizations")
        .set({ delete_after: Date.now() - 1 })
        .where("id", "=", id)
        .execute(),
    );
  const row = (id: string) =>
    fixture.store.reads
      .selectFrom("organizations")
      .selectAll()
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
  const removeDue = () => new OrganizationRemoval(fixture.store, journal).run();
  const isGone = async (id: string) => {
    const { deleted_at, delete_after } = await row(id);
    return deleted_at !== null && delete_after === null;
  };
  const tables = [
    "members",
    "roles",
    "invitations",
    "access_tokens",
    "licenses",
    "license_tags",
    "organization_customers",
    "ip_blocks",
  ] as const;
  const rowsIn = async (id: string) => {
    const counts: Record<string, number> = {};
    for (const table of tables) {
      const rows = await fixture.store.reads
        .selectFrom(table)
        .select("organization_id")
        .where("organization_id", "=", id)
        .execute();
      counts[table] = rows.length;
    }
    return counts;
  };
  const deletions = (id: string) =>
    fixture.store.reads
      .selectFrom("audit_log")
      .selectAll()
      .where("organization_id", "=", id)
      .where("action", "=", "organization.deleted")
      .execute();

  test("only the owner can request it, and must name the organization", async () => {
    const { id, path, slug, owner, member } = await firm();
    const outsider = await fixture.person();
    expect((await askDelete(member, path, { confirm: slug })).status).toBe(403);
    expect((await askDelete(outsider, path, { confirm: slug })).status).toBe(404);
    expect((await member.api.post(`${path}/restore`)).status).toBe(403);
    expect((await outsider.api.post(`${path}/restore`)).status).toBe(404);
    expect((await member.api.get(`${path}/export`)).status).toBe(403);
    expect((await outsider.api.get(`${path}/export`)).status).toBe(404);
    for (const body of [{}, { confirm: "acme" }, { confirm: slug, delete_after: "2020-01-01T00:00:00Z" }]) {
      expect((await askDelete(owner, path, body)).status).toBe(422);
    }
    const wrong = await askDelete(owner, path, { confirm: "acme" });
    expect(wrong.body.errors[0]).toMatchObject({ field: "confirm", code: "not_the_slug", params: { slug } });
    expect((await row(id)).delete_after).toBeNull();
  });

  test("until the deletion is due, everything works and it can be cancelled", async () => {
    const { id, path, slug, owner, publicApi, licenseKey } = await firm();
    const asked = await askDelete(owner, path, { confirm: slug });
    const dueMs = Date.parse(asked.body.delete_after);
    expect(dueMs - Date.now()).toBeWithin(14 * dayMs - 60_000, 14 * dayMs + 1_000);
    expect((await askDelete(owner, path, { confirm: slug })).body.delete_after).toBe(asked.body.delete_after);
    await removeDue();
    expect((await publicApi.validate({ license_key: licenseKey })).body).toMatchObject({ valid: true });
    expect((await owner.api.patch(path, { name: "Still here" })).status).toBe(200);
    const back = await owner.api.post(`${path}/restore`);
    expect(back.body.delete_after).toBeNull();
    expect((await owner.api.post(`${path}/restore`)).status).toBe(200);
    const rows = await fixture.store.reads
      .selectFrom("audit_log")
      .select("action")
      .where("organization_id", "=", id)
      .where("action", "in", ["organization.deletion_requested", "organization.restored"])
      .orderBy("id")
      .execute();
    expect(rows.map((entry) => entry.action)).toEqual([
      "organization.deletion_requested",
      "organization.restored",
    ]);
  });

  test("the owner gets one email when the deletion is requested and one when it is cancelled", async () => {
    const { path, slug, owner } = await firm();
    await askDelete(owner, path, { confirm: slug });
    await askDelete(owner, path, { confirm: slug });
    expect((await askDelete(owner, path, { confirm: "wrong" })).status).toBe(422);
    await owner.api.post(`${path}/restore`);
    await owner.api.post(`${path}/restore`);
    const emails = await openedEmails(fixture.store, { to: owner.email });
    expect(emails.map((message) => message.kind)).toEqual([
      "organization_deletion_requested",
      "organization_restored",
    ]);
    expect(emails[0]?.body_text).toMatch(/It will be deleted on \w+ \d+, \d{4} at \d\d:\d\d UTC/);
  });

  test("when due, the organization and its data are removed, and its key answers product_not_found", async () => {
    const gone = await firm();
    const stays = await firm();
    expect(Object.values(await rowsIn(gone.id)).every((count) => count > 0)).toBe(true);
    const before = await rowsIn(stays.id);
    await askDelete(gone.owner, gone.path, { confirm: gone.slug });
    await makeDue(gone.id);
    await until("the organization is removed", () => isGone(gone.id));
    expect((await gone.publicApi.validate({ license_key: gone.licenseKey })).body).toMatchObject({
      valid: false,
      status: "product_not_found",
    });
    expect((await gone.owner.api.get(gone.path)).status).toBe(404);
    expect((await gone.member.api.get(gone.path)).status).toBe(404);
    expect((await gone.owner.api.get("/organizations")).body.data).toEqual([]);
    expect(Object.values(await rowsIn(gone.id)).every((count) => count === 0)).toBe(true);
    const log = await deletions(gone.id);
    expect(log).toHaveLength(1);
    expect(log[0]).toMatchObject({ actor_kind: "system", subject_id: gone.id });
    const again = await gone.owner.api.post("/organizations", { name: "New", slug: gone.slug });
    expect(again.body.slug).toBe(gone.slug);

    expect(await rowsIn(stays.id)).toEqual(before);
    expect((await stays.publicApi.validate({ license_key: stays.licenseKey })).body.valid).toBe(true);
  });

  test("concurrent removals remove it once, and a large organization is removed in parts", async () => {
    const { id, publicApi, licenseKey } = await firm(1_000);
    await makeDue(id);
    await Promise.all(Array.from({ length: 3 }, () => removeDue()));
    await until("the organization is removed", () => isGone(id));
    expect(await deletions(id)).toHaveLength(1);
    expect((await rowsIn(id)).licenses).toBe(0);
    expect((await publicApi.validate({ license_key: licenseKey })).body.status).toBe("product_not_found");
  });

  test("another node completes a removal that was interrupted", async () => {
    const { id } = await firm(300);
    await makeDue(id);
    await fixture.store.transaction((db) => closeOrganization(db, id, Date.now()));
    await removeDue();
    await until("the organization is removed", () => isGone(id));
    expect(Object.values(await rowsIn(id)).every((count) => count === 0)).toBe(true);
  });

  test("a restore at the last moment either succeeds entirely or not at all", async () => {
    for (let round = 0; round < 4; round++) {
      const { id, path, owner, publicApi, licenseKey } = await firm();
      await makeDue(id);
      const [back] = await Promise.all([owner.api.post(`${path}/restore`), removeDue()]);
      if (back.status === 200) {
        expect((await row(id)).deleted_at).toBeNull();
        expect((await publicApi.validate({ license_key: licenseKey })).body.valid).toBe(true);
      } else {
        expect(back.status).toBe(404);
        await until("the organization is removed", () => isGone(id));
      }
    }
  });

  test("the export contains everything, line by line, and no secret", async () => {
    const { id, path, slug, owner, member, apiKey, licenseKey } = await firm(450);
    const plain = await owner.api.post(`${path}/webhooks`, {
      url: "https://hooks.example.com/in?a=b",
      headers: { "x-own": "hush-hush" },
      event_types: ["license.created"],
      auto_reenable: false,
    });
    const chat = await owner.api.post(`${path}/webhooks`, {
      url: "https://discord.com/api/webhooks/1/hush-hush",
      format: "discord",
    });
    expect([plain.status, chat.status]).toEqual([201, 201]);
    const { headers, text, status } = await owner.api.get(`${path}/export`);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("application/x-ndjson; charset=utf-8");
    expect(headers.get("content-disposition")).toBe(`attachment; filename="${slug}.jsonl"`);
    const lines = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const of = (wanted: string) => lines.filter((line) => line.kind === wanted).map((line) => line.data);
    expect(lines.at(-1)).toEqual({ kind: "end", data: { lines: lines.length - 1 } });
    expect(of("organization")).toMatchObject([{ id, slug }]);
    expect(of("product")).toMatchObject([{ name: "Tool" }]);
    expect(of("product_version")).toMatchObject([{ version: "1.0.0", state: "latest" }]);
    expect(of("product_download")).toMatchObject([{ title: "Manual", url: "https://docs.example/" }]);
    // Three default roles and two custom ones.
    expect(of("role")).toHaveLength(5);
    expect(of("member").map((one) => one.user_id)).toEqual([owner.userId, member.userId]);
    expect(of("invitation")).toMatchObject([{ state: "pending", role: { name: "Promised" } }]);
    expect(of("customer")).toMatchObject([{ email: `${id}@customers.example`, name: "Customer" }]);
    expect(of("ip_block")).toHaveLength(2);
    expect(of("webhook")).toMatchObject([
      {
        id: plain.body.id,
        url: "https://hooks.example.com/in?a=b",
        event_types: ["license.created"],
        product_ids: null,
        status: "enabled",
        auto_reenable: false,
      },
      { id: chat.body.id, url: "https://discord.com/…", format: "discord", auto_reenable: true },
    ]);
    for (const secret of [plain.body.secret, chat.body.secret, "hush-hush"])
      expect(text).not.toContain(secret);
    const licenses = of("license");
    expect(new Set(licenses.map((license) => license.id)).size).toBe(450);
    expect(licenses.find((license) => license.license_key === licenseKey)).toMatchObject({
      tags: ["vip"],
      ips: [{ ip: "203.0.113.7", registered_at: expect.any(String) }],
      is_lifetime: true,
      max_ips: 3,
    });
    const actions = of("audit_entry").map((entry) => entry.action);
    expect(actions).toContain("organization.created");
    expect(actions).toContain("organization.exported");
    expect(text).not.toContain(apiKey);
    for (const hidden of ["sealed", "token_hash", '"hash"', "search_text"])
      expect(text).not.toContain(hidden);
  });
});
