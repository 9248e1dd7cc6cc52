import { expect, test } from "bun:test";
import { auditRow } from "../../../../tests/support/audit-of.ts";
import { onBothDatabases, pages } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { times } from "../../suite/calls.ts";
import type { AuditLogRow } from "../../tables/audit-log.ts";
import * as log from "./entries.ts";

const startMs = auditRow({}).at;
const minuteMs = 60_000;

onBothDatabases("the audit log", (fixture) => {
  const { read, write } = fixture.queries(log);
  const add = async (...entries: Partial<AuditLogRow>[]): Promise<AuditLogRow[]> => {
    const rows = entries.map(auditRow);
    await write.addAuditEntries(rows);
    return rows;
  };
  const search = (
    filter: Partial<log.AuditFilter>,
    page: Partial<Parameters<typeof log.auditEntries>[2]> = {},
  ) => {
    const about = { organizationId: null, actorId: null, action: null, subjectKind: null, subjectId: null };
    const all = { ...about, fromMs: null, toMs: null };
    return read.auditEntries({ ...all, ...filter }, { after: null, limit: 2_000, ...page });
  };
  const find = async (...asked: Parameters<typeof search>) => (await search(...asked)).rows;

  test("an organization's entries are read newest first, across pages that end between equal times", async () => {
    const organizationId = newId();
    const at = (index: number) => startMs + Math.floor(index / 4) * minuteMs;
    const rows = await add(...times(30, (index) => ({ organization_id: organizationId, at: at(index) })));
    await add({ organization_id: newId() }, { organization_id: null });
    const found = await pages((after: AuditLogRow | null) => find({ organizationId }, { after, limit: 7 }));
    expect(found.flat()).toEqual(rows.toReversed());
  });

  test("the last entry about a subject is that of its organization and action, whatever happened to it since", async () => {
    const [organizationId, subjectId, action] = [newId(), newId(), "product.signing_secret_revealed"];
    const of = { organization_id: organizationId, subject_id: subjectId, action };
    const last = () => read.lastEntry({ organizationId, subjectId, action });
    expect(await last()).toBeUndefined();
    const [, second] = await add({ ...of, at: startMs }, { ...of, at: startMs + minuteMs });
    const at = startMs + 2 * minuteMs;
    await add(
      { ...of, at, action: "product.updated" },
      { ...of, at, subject_id: newId() },
      { ...of, at, organization_id: newId() },
    );
    expect(await last()).toEqual(second);
  });

  test.each<[filter: Partial<log.AuditFilter>, count: number]>([
    [{ actorId: "ada" }, 15],
    [{ action: "license.revoked" }, 10],
    [{ subjectKind: "product" }, 6],
    [{ subjectId: "s3" }, 3],
    [{ actorId: "ada", action: "license.revoked", subjectKind: "product" }, 1],
    [{ fromMs: startMs + 10 * minuteMs, toMs: startMs + 12 * minuteMs }, 2],
    [{ action: "license" }, 0],
  ])("the filter %j finds %i of 30 entries", async (filter, count) => {
    const organizationId = newId();
    await add(
      ...times(30, (index) => ({
        organization_id: organizationId,
        at: startMs + index * minuteMs,
        actor_id: index % 2 === 0 ? "ada" : "bruno",
        action: index % 3 === 0 ? "license.revoked" : "license.updated",
        subject_kind: index % 5 === 0 ? "product" : "license",
        subject_id: `s${index % 10}`,
      })),
    );
    expect(await find({ ...filter, organizationId })).toHaveLength(count);
  });

  test("a filter that few entries match reads a bounded number of them, and the search continues there", async () => {
    const organizationId = newId();
    const rare = [100, 101, 1_300];
    const rows = await add(
      ...times(1_700, (index) => ({
        organization_id: organizationId,
        at: startMs + Math.floor(index / 3),
        subject_kind: rare.includes(index) ? "product" : "license",
      })),
    );
    const searched: number[] = [];
    const found: AuditLogRow[] = [];
    let after: log.AuditPosition | null = null;
    do {
      const part: log.FoundEntries = await search(
        { organizationId, subjectKind: "product" },
        { after, limit: 10, maxRead: 500 },
      );
      searched.push(part.rows.length);
      found.push(...part.rows);
      after = part.searchedTo;
    } while (after !== null);
    expect(found).toEqual(rare.toReversed().flatMap((index) => rows[index] ?? []));
    expect(searched).toEqual([1, 0, 0, 2]);
    const all = await search({ organizationId, subjectKind: "product" });
    expect([all.rows, all.searchedTo]).toEqual([found, null]);
  });

  test("a filter without an organization finds the entries of all, and those about no organization", async () => {
    const action = `test.${newId()}`;
    const rows = await add({ organization_id: newId(), action }, { organization_id: null, action });
    expect(await find({ action })).toEqual(rows.toReversed());
  });

  test("any number of entries is added, and none can be changed or deleted", async () => {
    const organizationId = newId();
    const rows = await add(...times(501, () => ({ organization_id: organizationId })));
    const change = fixture.change("audit_log", rows[0]?.id ?? "", { actor_name: "Else" });
    await expect(change).rejects.toThrow("append-only");
    const entries = fixture.store.direct.deleteFrom("audit_log");
    const removal = entries.where("organization_id", "=", organizationId).execute();
    await expect(removal).rejects.toThrow("append-only");
    expect(await find({ organizationId })).toEqual(rows.toReversed());
  });

  test.each<[is: boolean, entry: Partial<AuditLogRow>]>([
    [true, {}],
    [false, { subject_id: "another" }],
    [false, { action: "license.updated" }],
    [false, { actor_id: "bruno" }],
    [false, { at: startMs }],
  ])("whether something was recorded since a time (%p) depends on an entry with %j", async (is, entry) => {
    const subjectId = newId();
    await add({ at: startMs + 1, subject_id: subjectId, ...entry });
    const wanted = { subjectId, action: "license.revoked", actorId: "ada" };
    expect(await read.wasRecordedSince(wanted, startMs)).toBe(is);
  });

  test.each<[what: string, at: number | null, entry: Partial<AuditLogRow>]>([
    ["another one was merged with it", 5, { after: '{"licenses_moved":2}' }],
    ["others were merged", null, { subject_id: "other", after: '{"licenses_moved":2}' }],
    ["something else changed", null, { after: '{"notes":"licenses_moved"}' }],
    ["it was deleted", null, { after: null }],
    ["it was before that time", null, { at: startMs, after: '{"licenses_moved":2}' }],
  ])("if %s, the last merge of a customer was at %p", async (_what, at, entry) => {
    const customerId = newId();
    for (const ms of [3, 5]) await add({ at: startMs + ms, subject_id: customerId, ...entry });
    expect(await read.lastMergeAt(customerId, startMs)).toBe(at === null ? null : startMs + at);
  });
});
