import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { type Cells, type ImportDefaults, readRow } from "@countersign/domain/license-files/row";
import { importRow } from "../../../../tests/support/import-row.ts";
import { onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { newId, type TestOrganization } from "../../../../tests/support/test-organization.ts";
import { registerIp } from "../licenses/create.ts";
import * as imports from "./imports.ts";
import type { Destination } from "./overwrite.ts";
import * as undoQueries from "./undo.ts";
import * as undoOnRequest from "./undo.ts";
import * as writeRows from "./write-rows.ts";

const defaults: ImportDefaults = {
  ...{ maxIps: 3, ipSystemEnabled: true, expiresInDays: null, ipv6Prefix: 64, timeZone: "UTC" },
};
/** Well after the licenses are created, also on a slow machine: an import never writes an earlier time than theirs. */
const nowMs = Date.now() + 3_600_000;
const customer_email = "ada@example.com";

onBothDatabases("the rows of an import", (fixture) => {
  const undoing = { ...undoQueries, ...undoOnRequest };
  const { read, write } = fixture.queries({ ...imports, ...undoing, ...writeRows });
  const rowsOf = (...all: Cells[]): writeRows.NumberedLicense[] =>
    all.map((cells, index) => {
      const read = readRow(cells, defaults, nowMs);
      if (!read.ok) throw new Error(JSON.stringify(read.errors));
      return { row: index + 2, license: read.license };
    });
  const into = (
    { organizationId, productId }: Pick<TestOrganization, "organizationId" | "productId">,
    onExisting: Destination["onExisting"] = "update",
  ): Destination => ({
    ...{ importId: newId(), organizationId, productId, defaults, onExisting },
    defaultCustomerEmail: null,
  });
  const sort = (to: Destination, ...rows: Cells[]) => read.sortRows(fixture.store.bulk, to, rowsOf(...rows));
  const importInto = (to: Destination, ...rows: Cells[]) =>
    fixture.write(async (db) => {
      const { bulk } = fixture.store;
      await imports.addImport(db, importRow(to, { id: to.importId }));
      await writeRows.lockExisting(db, bulk, to, rowsOf(...rows));
      const sorted = await writeRows.sortRows(db, bulk, to, rowsOf(...rows));
      expect(sorted.errors).toEqual([]);
      return writeRows.writeSorted(db, to, sorted, { bulk, newId, randomBytes, nowMs });
    });
  const license = (id: string) => fixture.row("licenses", { id });
  const tagsOf = async (license_id: string) =>
    (await fixture.rows("license_tags", { license_id })).map(({ tag }) => tag).sort();

  test.each([
    ["fail", [1, 0, 0, ["license_key_taken"]]],
    ["skip", [1, 0, 1, []]],
    ["update", [1, 1, 0, []]],
  ] as const)(
    "rows with %s for existing keys are sorted by whether the product has the key",
    async (onExisting, expected) => {
      const org = await fixture.organization();
      const other = await org.product();
      await org.license({ key: "Same-1" });
      await org.license({ key: "Other-1", productId: other.productId });
      const rows = [{ license_key: "same-1" }, { license_key: "Other-1", customer_email }];
      const { creates, updates, skipped, errors } = await sort(into(org, onExisting), ...rows);
      const codes = errors.map(({ code }) => code);
      expect([creates.length, updates.length, skipped, codes] as unknown).toEqual(expected);
    },
  );

  const [ips, ips_registered_at] = ["10.0.0.1;10.0.0.2", "2020-01-01;2020-01-02"];
  test.each([
    ["a new license without a customer", { license_key: "NEW" }, "customer_missing"],
    ["more IP addresses than allowed", { customer_email, max_ips: "1", ips }, "too_many_ips"],
    ["as many as allowed", { customer_email, max_ips: "2", ips }, null],
    ["more, without a limit", { customer_email, max_ips: "1", ip_system_enabled: "false", ips }, null],
    ["more, with their times", { customer_email, max_ips: "1", ips, ips_registered_at }, null],
    ["more than an existing license allows", { license_key: "OLD", ips }, "too_many_ips"],
    ["a lower limit for an existing license", { license_key: "OLD", max_ips: "1" }, null],
    ["an update without a customer", { license_key: "OLD", notes: "x" }, null],
  ] as const)("a row with %s, %j, has the error %p", async (_, cells, code) => {
    const org = await fixture.organization();
    await org.license({ key: "OLD", maxIps: 1 });
    const { errors } = await sort(into(org), cells);
    expect(errors.map((error) => error.code)).toEqual(code === null ? [] : [code]);
  });

  test("rows create licenses with the product's defaults for what they omit", async () => {
    const org = await fixture.organization();
    const settings = { ...defaults, maxIps: 7, expiresInDays: 10, ipSystemEnabled: false };
    const to = { ...into(org), defaults: settings };
    const [plain = "", full = ""] = await importInto(
      to,
      { customer_email },
      {
        ...{ license_key: "Full", customer_email, customer_name: "Ada", is_lifetime: true, max_ips: "5" },
        ...{ tags: "b;a", ips, notes: "note", status: "revoked", revoked_reason: "refund" },
      },
    );
    expect(await license(plain)).toMatchObject({
      ...{ max_ips: 7, ip_system_enabled: 0, is_lifetime: 0, expires_at: nowMs + 10 * 86_400_000 },
      ...{ organization_id: org.organizationId, product_id: org.productId, created_at: nowMs, ip_count: 0 },
    });
    const row = await license(full);
    expect(row).toMatchObject({
      ...{ license_key: "Full", is_lifetime: 1, expires_at: null, max_ips: 5, ip_count: 2, notes: "note" },
      ...{ revoked_at: nowMs, revoked_reason: "refund" },
    });
    for (const word of ["full", "ada@example.com", "note", "a"]) expect(row.search_text).toContain(word);
    expect(await tagsOf(full)).toEqual(["a", "b"]);
    const registered = await fixture.rows("license_ips", { license_id: full });
    expect(registered.map(({ ip }) => ip).sort()).toEqual(ips.split(";"));
    const undo = (await read.undoOf(to.importId, 9)).map(({ license_id, before }) => [license_id, before]);
    expect(undo).toEqual([plain, full].sort().map((id) => [id, null]));
  });

  test("rows overwrite what they mention and keep everything else, and an undo restores it all", async () => {
    const org = await fixture.organization();
    const { id } = await org.license({
      ...{ key: "Kept", maxIps: 9, notes: "before", tags: ["old"], revokedAtMs: 5, revokedReason: "refund" },
    });
    await fixture.write((db) => registerIp(db, id, "10.0.0.1", 1));
    const before = await license(id);
    const to = into(org);
    await importInto(to, { license_key: "kept", customer_email, notes: "after", tags: "new" });
    const after = await license(id);
    expect(after).toMatchObject({
      ...{ notes: "after", max_ips: 9, revoked_at: 5, revoked_reason: "refund", ip_count: 1 },
    });
    expect(after.customer_id).not.toBeNull();
    expect(after.updated_at).toBeGreaterThan(before.updated_at);
    expect(after.search_text).toContain("ada@example.com");
    expect(await tagsOf(id)).toEqual(["new"]);
    const rows = await read.undoOf(to.importId, 9);
    await write.revertRows(rows);
    expect(await license(id)).toEqual(before);
    expect(await tagsOf(id)).toEqual(["old"]);
  });

  test.each([
    ["active", { revoked_at: null, revoked_reason: null }],
    ["revoked", { revoked_at: 5, revoked_reason: "refund" }],
  ])("rows that say %s change a revoked license accordingly", async (status, expected) => {
    const org = await fixture.organization();
    const { id } = await org.license({ key: "R", revokedAtMs: 5, revokedReason: "refund" });
    await importInto(into(org), { license_key: "R", status });
    expect(await license(id)).toMatchObject(expected);
  });

  test("rows whose key was taken after they were sorted are not written", async () => {
    const org = await fixture.organization();
    const to = into(org);
    const sorted = await sort(to, { license_key: "RACE", customer_email });
    await org.license({ key: "race" });
    const { bulk } = fixture.store;
    const late = write.writeSorted(to, sorted, { bulk, newId, randomBytes, nowMs });
    expect(late).rejects.toBeInstanceOf(writeRows.KeyTaken);
    await late.catch(() => undefined);
  });

  /** Imports two new licenses and updates of two, of which one each has been used or changed since. */
  const importedAndChanged = async () => {
    const org = await fixture.organization();
    const kept = await org.license({ key: "OLD-1", notes: "before" });
    const changed = await org.license({ key: "OLD-2", notes: "before" });
    const to = into(org);
    const keys = ["OLD-1", "OLD-2", "NEW-1", "NEW-2", "NEW-3"];
    const [fresh = "", used = "", gone = ""] = await importInto(
      to,
      ...keys.map((license_key) => ({ license_key, customer_email, notes: "after" })),
    );
    await fixture.change("licenses", changed.id, { updated_at: nowMs + 99 });
    await fixture.change("licenses", used, { first_used_at: 1 });
    await fixture.write((db) => db.deleteFrom("licenses").where("id", "=", gone).execute());
    return { to, rows: await read.undoOf(to.importId, 9), kept, changed, fresh, used };
  };

  test("licenses used or changed since the import are forecast, and stay when the import is undone", async () => {
    const { to, rows, kept, changed, fresh, used } = await importedAndChanged();
    const whole = await read.forecastUndo(to.importId, "", 9);
    expect(whole).toEqual({ counts: { created: 2, used: 1, updated: 2, changed: 1 }, next: null });
    const part = await read.forecastUndo(to.importId, "", 2);
    const rest = await read.forecastUndo(to.importId, part.next ?? "", 9);
    expect(part.counts.created + rest.counts.created + part.counts.updated + rest.counts.updated).toBe(4);
    const plan = await read.planUndo(rows, false);
    expect(plan).toMatchObject({ deleted: 1, restored: 1, kept: 2 });
    await write.carryOutUndo(plan, nowMs + 5);
    expect(await fixture.rows("licenses", { id: fresh })).toEqual([]);
    expect(await license(used)).toMatchObject({ license_key: "NEW-2" });
    const restored = { notes: "before", search_text: "old1\nbefore", updated_at: nowMs + 5 };
    expect(await license(kept.id)).toMatchObject(restored);
    expect(await license(changed.id)).toMatchObject({ notes: "after" });
    const { bulk } = fixture.store;
    await write.removeUndoRows(bulk, to.importId, [fresh]);
    expect(await read.undoOf(to.importId, 9)).toHaveLength(rows.length - 1);
  });

  test("an undo deletes used licenses too if that is requested, but never restores changed ones", async () => {
    const { rows } = await importedAndChanged();
    expect(await read.planUndo(rows, true)).toMatchObject({ deleted: 2, restored: 1, kept: 1 });
    expect(await read.planUndo([], true)).toMatchObject({ deleted: 0, kept: 0 });
  });

  test("rows are undone together as long as they have few IP addresses, and at least one at a time", async () => {
    const org = await fixture.organization();
    const to = into(org);
    await importInto(to, ...[1, 2, 3].map((at) => ({ license_key: `K-${at}`, customer_email, ips })));
    const rows = await read.undoOf(to.importId, 9);
    const count = async (most: number) => (await read.withFewIps(rows, most)).length;
    expect([await count(1), await count(4), await count(6)]).toEqual([1, 2, 3]);
  });
});
