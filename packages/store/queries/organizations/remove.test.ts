import { expect, test } from "bun:test";
import type { OrganizationRow } from "@countersign/store/tables/organizations";
import { addOrganizationRows } from "../../../../tests/support/organization-rows.ts";
import { onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { updateBilling } from "../billing/billing.ts";
import { removeBillingOfDeleted } from "../billing/stripe.ts";
import { registerIp } from "../licenses/create.ts";
import { organizationById } from "./organizations.ts";
import type { AuditPosition } from "./remove.ts";
import * as removal from "./remove.ts";
import * as data from "./remove-data.ts";

const nowMs = 1_000_000;

/** Some of the tables; `remove-due.test.ts` of the server shows that none is forgotten. */
const people = ["members", "invitations", "roles", "access_tokens"] as const;
const atOnce = [...people, "organization_branding", "impersonations"] as const;
const deletedLater = [
  "imports",
  "webhook_endpoints",
  "events",
  "transfers",
  "licenses",
  "customers",
] as const;

onBothDatabases("removal of organizations", (fixture) => {
  const { read, write } = fixture.queries({ ...removal, ...data });

  const organization = async (columns: Partial<OrganizationRow> = {}) => {
    const made = await fixture.organization();
    const owner = await fixture.user();
    await fixture.change("organizations", made.organizationId, { owner_id: owner.id, ...columns });
    return { ...made, id: made.organizationId };
  };
  /** The same with rows of every kind. */
  const filled = async (columns: Partial<OrganizationRow> = {}) => {
    const made = await organization(columns);
    await fixture.write((db) => addOrganizationRows(db, made, `${made.id}@customers.example`, nowMs));
    return made;
  };
  const close = (id: string, atMs = nowMs) => write.closeOrganization(id, atMs);
  const rowOf = (id: string) => organizationById(fixture.reads, id);
  const rowsIn = (tables: typeof atOnce | typeof deletedLater, id: string) =>
    Promise.all(tables.map(async (table) => (await fixture.rows(table, { organization_id: id })).length));
  const emptied = (counts: readonly number[]) => counts.every((count) => count === 0);
  const full = (counts: readonly number[]) => counts.every((count) => count > 0);
  const removeAll = async (id: string) => {
    let steps = 0;
    while (await write.removeSome(id, 2)) steps++;
    return steps;
  };

  test("a removal is due at the time it was set to, the longest overdue first, until it is finished", async () => {
    // Long before those of other tests on this database.
    const second = await organization({ delete_after: -20 });
    const first = await organization({ delete_after: -30, deleted_at: 15 });
    await organization({ delete_after: -9 });
    expect(await read.organizationsToRemove(-10)).toEqual([
      { id: first.id, deleted_at: 15 },
      { id: second.id, deleted_at: null },
    ]);
    for (const { id } of [first, second]) await write.finishRemoval(id);
    expect(await read.organizationsToRemove(-10)).toEqual([]);
    expect(await rowOf(first.id)).toMatchObject({ delete_after: null, customer_block_count: 0 });
  });

  test.each<[deletion: string, result: "closed" | "unchanged", columns: Partial<OrganizationRow>]>([
    ["is due", "closed", { delete_after: nowMs }],
    ["is due a moment later", "unchanged", { delete_after: nowMs + 1 }],
    ["was cancelled", "unchanged", { delete_after: null }],
    ["was started by another node", "unchanged", { delete_after: nowMs, deleted_at: 1 }],
  ])("an organization whose deletion %s is %s", async (_, result, columns) => {
    const { id } = await organization(columns);
    const before = await rowOf(id);
    const closed = await close(id);
    expect(closed === undefined ? "unchanged" : "closed").toBe(result);
    if (closed === undefined) expect(await rowOf(id)).toEqual(before as never);
  });

  test("a closed organization has no owner, no members, no access and no products, and its slug is free", async () => {
    const ours = await filled({ delete_after: nowMs });
    const other = await filled({ delete_after: nowMs });
    expect(full(await rowsIn(atOnce, ours.id))).toBe(true);
    const before = await rowOf(ours.id);
    expect(await close(ours.id)).toEqual(before as never);
    const closed = { deleted_at: nowMs, owner_id: null, slug: `~deleted-${ours.id}` };
    expect(await rowOf(ours.id)).toMatchObject(closed);
    expect(emptied(await rowsIn(atOnce, ours.id))).toBe(true);
    const product = (id: string) => fixture.row("products", { organization_id: id });
    expect(await product(ours.id)).toMatchObject({ deleted_at: nowMs, custom_response: null });
    expect(full(await rowsIn(atOnce, other.id))).toBe(true);
    const kept = { deleted_at: null, custom_response: expect.any(String) };
    expect(await product(other.id)).toMatchObject(kept as never);
    expect(await rowOf(other.id)).toMatchObject({ deleted_at: null });
  });

  test("an organization is closed by one of several nodes that try at the same time", async () => {
    const { id } = await organization({ delete_after: nowMs });
    const closed = await Promise.all([close(id), close(id), close(id)]);
    expect(closed.filter((row) => row !== undefined)).toHaveLength(1);
  });

  test("the payments of a customer of Stripe stay until they are cancelled there, which is due at once", async () => {
    const [customer, other] = [await filled({ delete_after: nowMs }), await filled({ delete_after: nowMs })];
    const billing = async (id: string) =>
      (await fixture.rows("organization_billing", { organization_id: id }))[0];
    const ofStripe = { stripe_customer_id: "cus_1", subscription_id: "sub_1", due_at: nowMs + 5 };
    await fixture.write((db) => updateBilling(db, customer.id, ofStripe));
    for (const { id } of [customer, other]) await close(id);
    const left = { stripe_customer_id: "cus_1", subscription_id: null, plan_note: null, due_at: null };
    expect(await billing(customer.id)).toMatchObject({ ...left, sync_due_at: nowMs });
    expect(await billing(other.id)).toBeUndefined();
    await fixture.write((db) => removeBillingOfDeleted(db, customer.id, "cus_1"));
  });

  test("the data of an organization is removed in small steps, and nothing of another organization", async () => {
    const [ours, other] = [await filled({ delete_after: nowMs }), await filled()];
    for (let number = 0; number < 5; number++) await ours.license();
    const before = await rowsIn(deletedLater, other.id);
    expect(full(before)).toBe(true);
    await close(ours.id);
    expect(await removeAll(ours.id)).toBeGreaterThan(20);
    expect(emptied(await rowsIn(deletedLater, ours.id))).toBe(true);
    expect(await rowsIn(deletedLater, other.id)).toEqual(before);
  });

  test("a license with more IP addresses than are removed at once is removed after them", async () => {
    const { id, license } = await organization({ delete_after: nowMs });
    const { id: licenseId } = await license({ maxIps: 30 });
    await fixture.write(async (db) => {
      for (let number = 0; number < 25; number++) await registerIp(db, licenseId, `203.0.113.${number}`, 0);
    });
    await close(id);
    const left = () => fixture.rows("license_ips", { license_id: licenseId });
    const counts: number[] = [];
    do {
      await write.removeSome(id, 2);
      counts.push((await left()).length);
    } while (counts.at(-1) !== 0);
    expect(counts).toEqual([15, 5, 0]);
    expect(await removeAll(id)).toBeLessThanOrEqual(1);
  });

  test("audit log entries lose what they were about, page by page, except those of the organization itself", async () => {
    const { id } = await organization({ deleted_at: 1 });
    const entry = (subjectKind: string, at: number) => ({
      ...{ id: newId(), at, organization_id: id, ip: null, request_id: null },
      ...{ actor_kind: "system" as const, actor_id: null, actor_name: "Countersign", access_token_id: null },
      ...{ action: `${subjectKind}.changed`, subject_kind: subjectKind, subject_id: id, subject_name: "Ada" },
      ...{ before: '{"name":"Ada"}', after: '{"name":"Grace"}' },
    });
    const first = [entry("customer", 5), entry("license", 5)];
    const entries = [...first, entry("organization", 6), entry("customer", 7)];
    await fixture.write((db) => db.insertInto("audit_log").values(entries).execute());
    const pages: (AuditPosition | null)[] = [];
    do {
      const after = pages.at(-1) ?? null;
      pages.push(await write.emptyAuditEntries(id, after, 2));
    } while (pages.at(-1) !== null);
    expect(pages.map((page) => page?.at)).toEqual([5, 7, undefined]);
    const rows = await fixture.rows("audit_log", { organization_id: id });
    const empty = { subject_name: null, before: null, after: null, actor_name: "Countersign" };
    expect(rows).toMatchObject([empty, empty, { subject_name: "Ada", after: '{"name":"Grace"}' }, empty]);
  });
});
