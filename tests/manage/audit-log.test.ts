import { expect, test } from "bun:test";
import { addAuditEntries } from "@countersign/store/queries/audit-log/entries";
import { times } from "../../packages/store/suite/calls.ts";
import { allRows } from "../support/answers.ts";
import { auditRow } from "../support/audit-of.ts";
import { refusal } from "../support/licenses.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { testsOn } from "../support/tests-on.ts";

const january = { from: "2024-01-01T00:00:00Z", to: "2024-02-01T00:00:00Z" };

/** With more entries in January than an export reads at a time, four in each minute. */
async function openAuditLog(...[make]: Parameters<typeof openManageFixture>) {
  const fixture = await openManageFixture(make);
  const { organizationId: organization_id, owner, store } = fixture;
  const rows = times(603, (index) =>
    auditRow({
      organization_id,
      at: Date.UTC(2024, 0, 1) + Math.floor(index / 4) * 60_000,
      actor_id: index % 2 === 0 ? "ada" : "bruno",
      actor_name: index === 7 ? "=HYPERLINK(1)" : "Ada, Countess",
      action: index % 3 === 0 ? "license.revoked" : "license.updated",
      subject_kind: index % 5 === 0 ? "product" : "license",
      subject_id: `s${index % 10}`,
      subject_name: 'A "quoted" name',
    }),
  );
  await store.transaction((db) => addAuditEntries(db, rows));
  const path = `/organizations/${organization_id}/audit-log`;
  const get = (below: string) => owner.api.get(path + below);
  const query = (filter: object) => `?${new URLSearchParams({ ...january, ...filter })}`;
  return { ...fixture, path, get, query };
}

/** `entries.test.ts` of the store shows which entries a filter finds, and in which order. */
testsOn("postgres", "audit log", openAuditLog, (log) => {
  test("pages of the audit log follow each other newest first, without gaps or duplicates", async () => {
    const list = log.path + log.query({ limit: "200" });
    const entries = await allRows<{ id: string; at: string }>(log.owner.api, list);
    expect([entries.length, new Set(entries.map((entry) => entry.id)).size]).toEqual([603, 603]);
    const atMs = entries.map((entry) => Date.parse(entry.at));
    expect(atMs).toEqual(atMs.toSorted((a, b) => b - a));
  });

  test.each([
    [{ actor_id: "ada", action: "license.revoked", subject_kind: "product" }, 21],
    [{ subject_id: "s3" }, 60],
    [{ from: "2024-01-01T01:10:00+01:00", to: "2024-01-01T00:11:00Z" }, 4],
  ])("the filter %j finds %i entries of the audit log", async (filter, count) => {
    expect((await log.get(log.query({ limit: "200", ...filter }))).body.data).toHaveLength(count);
  });

  test("an entry of the audit log has the actor, the subject, the values before and after, and the IP address", async () => {
    await log.owner.api.patch(`/products/${log.productId}`, { name: "Plugin Two" });
    const { body } = await log.get("?action=product.updated&limit=1");
    expect(body.data[0]).toMatchObject({
      actor: { kind: "person", id: log.owner.userId, name: "Test Person" },
      subject: { kind: "product", id: log.productId, name: "Plugin Two" },
      before: { name: "Plugin" },
      after: { name: "Plugin Two" },
      ip: "127.0.0.1",
    });
  });

  test("an export of the audit log has every entry, accepts filters, and has no cell that a spreadsheet executes", async () => {
    const csv = await log.get(`/export${log.query({ format: "csv" })}`);
    expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(csv.headers.get("content-disposition")).toContain("audit-log.csv");
    const [head, first, ...others] = csv.text.trimEnd().split("\r\n");
    expect(others).toHaveLength(602);
    expect(head).toStartWith("id,at,actor_kind,actor_id,actor_name");
    expect(first).toContain(',"Ada, Countess",');
    expect(first).toContain(',"A ""quoted"" name",');
    expect(csv.text).toContain(",'=HYPERLINK(1),");
    const lines = await log.get(`/export${log.query({ format: "jsonl", actor_id: "bruno" })}`);
    expect(lines.headers.get("content-type")).toBe("application/x-ndjson; charset=utf-8");
    const entries = lines.text.trimEnd().split("\n");
    expect(entries.map((line) => JSON.parse(line).actor.id)).toEqual(Array(301).fill("bruno"));
  });

  test("the platform admin can read the audit log of all organizations, or of one", async () => {
    const { body: other } = await log.owner.api.post("/organizations", { name: "Other" });
    const read = async (filter: string) => {
      const { body } = await log.admin.api.get(`/admin/audit-log?action=organization.created${filter}`);
      return body.data.map((entry: { organization_id: string }) => entry.organization_id);
    };
    expect(await read("&limit=1")).toEqual([other.id]);
    expect(await read(`&organization_id=${log.organizationId}`)).toEqual([log.organizationId]);
  });

  test.each([
    ["?from=yesterday", "from"],
    ["?limit=1000", "limit"],
    ["/export?format=xml", "format"],
  ])("the audit log refuses %s with the field's name", async (below, field) => {
    expect(refusal(await log.get(below))).toEqual([422, field]);
  });
});
