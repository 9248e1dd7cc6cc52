import { expect, test } from "bun:test";
import { dayMs } from "@countersign/domain/dates/lengths";
import { auditRow } from "../../../../tests/support/audit-of.ts";
import { withPlan } from "../../../../tests/support/changed-plan.ts";
import { idsOf, onBothDatabases, pages } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { times } from "../../suite/calls.ts";
import type { AuditLogRow } from "../../tables/audit-log.ts";
import { updateOrganization } from "../organizations/organizations.ts";
import { addAuditEntries, lastEntry } from "./entries.ts";
import * as retention from "./retention.ts";

const startMs = Date.UTC(2024, 0, 1);

onBothDatabases("the retention of the audit log", (fixture) => {
  const { read, write } = fixture.queries({ ...retention, addAuditEntries, lastEntry });
  const add = async (...entries: Partial<AuditLogRow>[]): Promise<AuditLogRow[]> => {
    const rows = entries.map(auditRow);
    await write.addAuditEntries(rows);
    return rows;
  };
  const entriesOf = (organizationId: string) =>
    fixture.rows("audit_log", { organization_id: organizationId });
  const remove = (ids: readonly string[]) =>
    fixture.store.direct.deleteFrom("audit_log").where("id", "in", ids).execute();

  test("the days of an organization and of its plan are read, Free's after a cancellation", async () => {
    const [own, ofPlan, cancelled] = [
      await fixture.organization({ plan: "pro" }),
      await fixture.organization({ plan: "pro" }),
      await fixture.organization({ plan: "pro" }),
    ];
    await fixture.write((db) => updateOrganization(db, own.organizationId, { audit_log_days_override: 400 }));
    await fixture.write((db) =>
      updateOrganization(db, cancelled.organizationId, { billing_state: "cancelled" }),
    );
    expect(await read.hasAuditLogLimits()).toBeTrue();
    await withPlan(fixture, "pro", { audit_log_days: 90 }, async () => {
      const before = own.organizationId.slice(0, -1);
      const found = (await read.organizationsAuditLogDays(before, 200)).filter(({ id }) =>
        [own, ofPlan, cancelled].some(({ organizationId }) => organizationId === id),
      );
      expect(found).toEqual([
        { id: own.organizationId, of_organization: 400, of_plan: 90 },
        { id: ofPlan.organizationId, of_organization: null, of_plan: 90 },
        { id: cancelled.organizationId, of_organization: null, of_plan: null },
      ]);
      expect(await read.keptEntries(own.organizationId)).toMatchObject({ of_organization: 400, of_plan: 90 });
      expect(idsOf(await read.organizationsAuditLogDays(own.organizationId, 1))).toEqual([
        ofPlan.organizationId,
      ]);
    });
    await fixture.write((db) =>
      updateOrganization(db, own.organizationId, { audit_log_days_override: null }),
    );
  });

  test("no plan and no organization has a limit unless the operator sets one", async () => {
    expect(await read.hasAuditLogLimits()).toBeFalse();
    await withPlan(fixture, "free", { audit_log_days: 30 }, async () => {
      expect(await read.hasAuditLogLimits()).toBeTrue();
    });
  });

  test.each([0, 1, 29])("a limit of %i days cannot be stored", async (days) => {
    const { organizationId } = await fixture.organization();
    const change = { audit_log_days_override: days };
    const set = fixture.write((db) => updateOrganization(db, organizationId, change));
    await expect(set).rejects.toThrow(/constraint/i);
  });

  test("an organization's old entries are read oldest first, across pages that end between equal times", async () => {
    const organizationId = newId();
    const rows = await add(
      ...times(30, (index) => ({
        organization_id: organizationId,
        at: startMs + Math.floor(index / 4) * dayMs,
      })),
    );
    await add({ organization_id: newId(), at: startMs }, { organization_id: null, at: startMs });
    const found = await pages((after: AuditLogRow | null) =>
      read.entriesBefore(organizationId, startMs + 5 * dayMs, { after, limit: 7 }),
    );
    expect(found.flat()).toEqual(rows.slice(0, 20));
  });

  test("the last reveal of each product's signing secret is not among them, the earlier ones are", async () => {
    const [organizationId, one, other] = [newId(), newId(), newId()];
    const reveal = (subject: string, day: number, columns: Partial<AuditLogRow> = {}) => ({
      ...{ organization_id: organizationId, subject_kind: "product", subject_id: subject },
      ...{ action: "product.signing_secret_revealed", at: startMs + day * dayMs, ...columns },
    });
    const rows = await add(
      reveal(one, 1),
      reveal(one, 2),
      reveal(other, 3),
      reveal(one, 3),
      reveal(one, 3),
      reveal(one, 4, { action: "product.updated" }),
      reveal(one, 5, { organization_id: newId() }),
    );
    const found = await read.entriesBefore(organizationId, startMs + 9 * dayMs, { after: null, limit: 50 });
    const [first, second, , fourth, fifth, updated] = rows;
    const kept = [fourth, fifth].toSorted((a, b) => ((a?.id ?? "") < (b?.id ?? "") ? -1 : 1))[1];
    const equal = [fourth, fifth].find((row) => row !== kept);
    expect(found).toEqual([first, second, equal, updated].flatMap((row) => row ?? []));
    await write.deleteEntries(organizationId, found);
    const last = { organizationId, subjectId: one, action: "product.signing_secret_revealed" };
    expect(await read.lastEntry(last)).toEqual(kept as AuditLogRow);
    expect(await read.lastEntry({ ...last, subjectId: other })).toEqual(rows[2] as AuditLogRow);
  });

  test("deleted entries are counted once, and the log says since when it is complete", async () => {
    const { organizationId } = await fixture.organization();
    const completeSince = async () => (await read.keptEntries(organizationId))?.deleted_before;
    const rows = await add(
      ...times(6, (index) => ({ organization_id: organizationId, at: startMs + index * dayMs })),
    );
    expect(await completeSince()).toBeNull();
    expect(await write.deleteEntries(organizationId, [])).toBe(0);
    expect(await completeSince()).toBeNull();
    expect(await write.deleteEntries(organizationId, rows.slice(0, 4))).toBe(4);
    expect(await write.deleteEntries(organizationId, rows.slice(0, 3))).toBe(0);
    expect(await completeSince()).toBe(startMs + 3 * dayMs + 1);
    expect(await entriesOf(organizationId)).toHaveLength(2);
  });

  test("entries of another organization are not deleted, whatever is asked", async () => {
    const [organizationId, otherId] = [newId(), newId()];
    const rows = await add(
      { organization_id: organizationId, at: startMs },
      { organization_id: otherId, at: startMs },
      { organization_id: null, at: startMs },
    );
    expect(await write.deleteEntries(organizationId, rows)).toBe(1);
    await expect(remove([rows[1]?.id ?? ""])).rejects.toThrow("append-only");
    await expect(remove([rows[2]?.id ?? ""])).rejects.toThrow("append-only");
    expect(await entriesOf(otherId)).toHaveLength(1);
  });

  test("an entry that is younger than what was archived cannot be deleted by any statement", async () => {
    const organizationId = newId();
    const rows = await add(
      ...times(3, (index) => ({ organization_id: organizationId, at: startMs + index * dayMs })),
    );
    const [first, second, third] = idsOf(rows);
    await expect(remove([first ?? ""])).rejects.toThrow("append-only");
    await write.deleteEntries(organizationId, rows.slice(0, 1));
    await expect(remove([second ?? "", third ?? ""])).rejects.toThrow("append-only");
    const all = fixture.store.direct.deleteFrom("audit_log").where("organization_id", "=", organizationId);
    await expect(all.execute()).rejects.toThrow("append-only");
    expect(await entriesOf(organizationId)).toHaveLength(2);
  });
});
