import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { addAuditEntries } from "@countersign/store/queries/audit-log/entries";
import type { AuditLogRow } from "@countersign/store/tables";
import { on } from "../support/databases.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { newId } from "../support/test-organization.ts";

setDefaultTimeout(60_000);

const january = { from: "2024-01-01T00:00:00Z", to: "2024-02-01T00:00:00Z" };

describe.each(on("postgres"))("the audit log on $kind", ({ make }) => {
  let fixture: ManageFixture;
  let path: string;
  beforeAll(async () => {
    fixture = await openManageFixture(make);
    path = `/organizations/${fixture.organizationId}/audit-log`;
    // More than an export reads at a time.
    const rows = Array.from(
      { length: 603 },
      (_, index): AuditLogRow => ({
        id: newId(),
        at: Date.UTC(2024, 0, 1) + Math.floor(index / 4) * 60_000,
        organization_id: fixture.organizationId,
        actor_kind: "person",
        actor_id: index % 2 === 0 ? "ada" : "bruno",
        actor_name: index === 7 ? "=HYPERLINK(1)" : "Ada, Countess",
        access_token_id: null,
        action: index % 3 === 0 ? "license.revoked" : "license.updated",
        subject_kind: index % 5 === 0 ? "product" : "license",
        subject_id: `s${index % 10}`,
        subject_name: 'A "quoted" name',
        before: '{"max_ips":1}',
        after: null,
        ip: "203.0.113.9",
        request_id: null,
      }),
    );
    await fixture.store.transaction((db) => addAuditEntries(db, rows));
  });
  afterAll(() => fixture.close());

  const query = (filter: Record<string, string>) => `?${new URLSearchParams({ ...january, ...filter })}`;
  const get = (address: string) => fixture.owner.api.get(`${path}${address}`);

  test("pages follow each other newest first, without gaps or duplicates", async () => {
    const entries: { id: string; at: string }[] = [];
    for (let more: Record<string, string> | null = {}; more !== null; ) {
      const { body } = await get(query({ limit: "150", ...more }));
      entries.push(...body.data);
      more = body.next_cursor === null ? null : { cursor: body.next_cursor };
    }
    expect([entries.length, new Set(entries.map((entry) => entry.id)).size]).toEqual([603, 603]);
    const times = entries.map((entry) => Date.parse(entry.at));
    expect(times).toEqual([...times].sort((a, b) => b - a));
  });

  test.each<[filter: Record<string, string>, count: number]>([
    [{ actor_id: "ada", action: "license.revoked", subject_kind: "product" }, 21],
    [{ subject_id: "s3" }, 60],
    [{ from: "2024-01-01T01:10:00+01:00", to: "2024-01-01T00:11:00Z" }, 4],
  ])("%j finds %i entries", async (filter, count) => {
    expect((await get(query({ limit: "200", ...filter }))).body.data).toHaveLength(count);
  });

  test("an entry contains the actor, the subject, the values before and after, and the IP address", async () => {
    await fixture.owner.api.patch(`/products/${fixture.productId}`, { name: "Plugin Two" });
    const { body } = await get("?action=product.updated&limit=1");
    expect(body.data[0]).toMatchObject({
      actor: { kind: "person", id: fixture.owner.userId, name: "Test Person" },
      subject: { kind: "product", id: fixture.productId, name: "Plugin Two" },
      before: { name: "Plugin" },
      after: { name: "Plugin Two" },
      ip: "127.0.0.1",
    });
  });

  test("the CSV export contains every entry, and no cell that a spreadsheet would execute", async () => {
    const answer = await get(`/export${query({ format: "csv" })}`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(answer.headers.get("content-disposition")).toContain("audit-log.csv");
    const lines = answer.text.trimEnd().split("\r\n");
    expect(lines).toHaveLength(604);
    expect(lines[0]).toStartWith("id,at,actor_kind,actor_id,actor_name");
    expect(lines[1]).toContain(',"Ada, Countess",');
    expect(lines[1]).toContain(',"A ""quoted"" name",');
    expect(answer.text).toContain(",'=HYPERLINK(1),");
  });

  test("the JSON Lines export contains every entry and accepts the filters of the list", async () => {
    const answer = await get(`/export${query({ format: "jsonl", actor_id: "bruno" })}`);
    expect(answer.headers.get("content-type")).toBe("application/x-ndjson; charset=utf-8");
    const entries = answer.text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(entries).toHaveLength(301);
    expect(entries.every((entry) => entry.actor.id === "bruno")).toBe(true);
  });

  test("reading needs the permission, and another organization's audit log is not found", async () => {
    const member = await fixture.member(["products:view"]);
    const otherUser = await fixture.person();
    for (const address of [path, `${path}/export`]) {
      expect((await member.api.get(address)).status).toBe(403);
      expect((await otherUser.api.get(address)).status).toBe(404);
    }
    const other = await otherUser.api.post("/organizations", { name: "Other" });
    const own = await otherUser.api.get(`/organizations/${other.body.id}/audit-log?limit=200`);
    expect(own.body.data.map((entry: { action: string }) => entry.action)).toEqual(["organization.created"]);
    const narrow = await fixture.member(["audit_log:view"]);
    expect((await narrow.api.get(path)).status).toBe(200);
    expect((await narrow.api.get("/admin/audit-log")).status).toBe(404);
  });

  test("the platform admin can read the entries of all organizations, or of one", async () => {
    const { body: other } = await fixture.owner.api.post("/organizations", { name: "Other" });
    const read = async (filter: string) => {
      const { body } = await fixture.admin.api.get(`/admin/audit-log?action=organization.created${filter}`);
      return body.data.map((entry: { organization_id: string }) => entry.organization_id);
    };
    expect(await read("&limit=1")).toEqual([other.id]);
    expect(await read(`&organization_id=${fixture.organizationId}`)).toEqual([fixture.organizationId]);
  });

  test.each([
    ["?from=yesterday", "from"],
    ["?limit=1000", "limit"],
    ["?cursor=xyz", "cursor"],
    ["/export?format=xml", "format"],
  ])("%s is refused with the field's name", async (address, field) => {
    const { status, body } = await get(address);
    expect([status, body.errors[0].field]).toEqual([422, field]);
  });
});
