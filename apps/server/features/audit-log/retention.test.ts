import { afterAll, afterEach, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { dayMs } from "@countersign/domain/dates/lengths";
import { addAuditEntries, lastEntry } from "@countersign/store/queries/audit-log/entries";
import { updateOrganization } from "@countersign/store/queries/organizations/organizations";
import { times } from "@countersign/store/suite/calls";
import type { AuditLogRow } from "@countersign/store/tables/audit-log";
import { auditRow } from "../../../../tests/support/audit-of.ts";
import { idsOf, onBothDatabases } from "../../../../tests/support/query-tests.ts";
import type { AuditLogArchive } from "../../base/config.ts";
import { createLog } from "../../base/log.ts";
import { auditLogRetention } from "./retention.ts";

const temporary = mkdtempSync(join(tmpdir(), "audit-log-archive-"));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

const today = Math.floor(Date.now() / dayMs) * dayMs;
/** So many days ago, in the middle of the day. */
const daysAgo = (days: number) => today - days * dayMs + dayMs / 2;

onBothDatabases("old entries of the audit log", (fixture) => {
  /** An organization that keeps its audit log for 30 days, with an entry of each of these days. */
  const organization = async (days: readonly number[], columns: Partial<AuditLogRow> = {}) => {
    const { organizationId: id } = await fixture.organization();
    await setDays(id, 30);
    const rows = days.map((day) => auditRow({ organization_id: id, at: daysAgo(day), ...columns }));
    await fixture.write((db) => addAuditEntries(db, rows));
    return { id, rows, left: async () => idsOf(await fixture.rows("audit_log", { organization_id: id })) };
  };
  const setDays = (id: string, days: number | null) =>
    fixture.write((db) => updateOrganization(db, id, { audit_log_days_override: days }));
  // Every run is about all organizations.
  afterEach(() =>
    fixture.write((db) => db.updateTable("organizations").set({ audit_log_days_override: null }).execute()),
  );
  const newFolder = () => mkdtempSync(join(temporary, "archive-"));

  /** The archived entries of an organization, in the order of the files' names. */
  const archived = (folder: string, id: string) =>
    namesIn(folder, id).flatMap((name) => {
      const text = gunzipSync(readFileSync(join(folder, id, name))).toString();
      expect(text).toEndWith("\n");
      return text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as { id: string });
    });
  const namesIn = (folder: string, id: string) =>
    existsSync(join(folder, id)) ? readdirSync(join(folder, id)).sort() : [];

  const retention = (archive: AuditLogArchive | null, crash: (() => void) | null = null) => {
    const lines: { level: string; message: string }[] = [];
    const counts = { archived: 0, deleted: 0 };
    const write = (line: string) => void lines.push(JSON.parse(line));
    const log = createLog({ level: "info", pretty: false, now: Date.now, write });
    const job = auditLogRetention(fixture.store, archive, log, {
      archived: (entries) => {
        crash?.();
        counts.archived += entries;
      },
      deleted: (entries) => {
        counts.deleted += entries;
      },
    });
    return { run: (stopping?: AbortSignal) => job.run(stopping), lines, counts };
  };

  test("old entries are archived by day in the format of the export and deleted, younger ones are kept", async () => {
    const { id, rows, left } = await organization([40, 40, 31, 30, 29, 0], {
      before: '{"name":"Ada"}',
      ip: "192.0.2.1",
    });
    const other = await organization([400]);
    await setDays(other.id, null);
    const folder = newFolder();
    const { run, lines, counts } = retention({ folder });
    await run();
    const kept = rows.filter(({ at }) => at >= today - 30 * dayMs);
    expect(kept).toHaveLength(3);
    expect(await left()).toEqual(idsOf(kept).sort());
    expect(await other.left()).toEqual(idsOf(other.rows));
    expect(readdirSync(folder)).toEqual([id]);
    const day = (days: number) => new Date(daysAgo(days)).toISOString().slice(0, 10);
    const name = (days: number) =>
      expect.stringMatching(new RegExp(`^${day(days)}-[0-9a-f]{16}\\.jsonl\\.gz$`));
    expect(namesIn(folder, id)).toEqual([name(40), name(31)]);
    const found = archived(folder, id);
    expect(idsOf(found).sort()).toEqual(idsOf(rows.slice(0, 3)).sort());
    expect(found.at(-1)).toMatchObject({
      ...{ id: rows[2]?.id, organization_id: id, at: new Date(daysAgo(31)).toISOString() },
      ...{ actor: { kind: "person", name: "Ada" }, before: { name: "Ada" }, ip: "192.0.2.1" },
    });
    if (process.platform !== "win32") {
      expect(statSync(join(folder, id)).mode & 0o077).toBe(0);
      expect(statSync(join(folder, id, namesIn(folder, id)[0] ?? "")).mode & 0o077).toBe(0);
    }
    expect(counts).toEqual({ archived: 3, deleted: 3 });
    const message = "Old entries of the audit log were archived and deleted.";
    expect(lines).toEqual([
      expect.objectContaining({ level: "info", message, entries: 3, organizations: 1 }),
    ]);
    await run();
    expect([counts.deleted, lines.length]).toEqual([3, 1]);
  });

  test("an organization without days keeps its plan's, and its entries stay while neither has a limit", async () => {
    const { id, rows, left } = await organization([5_000]);
    await setDays(id, null);
    await organization([]);
    await retention({ folder: newFolder() }).run();
    expect(await left()).toEqual(idsOf(rows));
  });

  test("while no archive is set, nothing is deleted, and the log says so once", async () => {
    const { rows, left } = await organization([40]);
    const { run, lines } = retention(null);
    await run();
    await run();
    expect(await left()).toEqual(idsOf(rows));
    expect(lines).toEqual([expect.objectContaining({ level: "warn" })]);
    expect(lines[0]?.message).toContain("COUNTERSIGN_AUDIT_LOG_ARCHIVE");
  });

  test("with none as the archive, old entries are deleted without one", async () => {
    const { rows, left } = await organization([40, 20]);
    const { run, counts } = retention("none");
    await run();
    expect(await left()).toEqual([rows[1]?.id ?? ""]);
    expect(counts.archived).toBe(0);
  });

  test("what was archived before a crash, and not deleted, is archived again as the same file", async () => {
    const { id, rows, left } = await organization([40, 40, 39]);
    const folder = newFolder();
    const crashing = retention({ folder }, () => {
      throw new Error("crash");
    });
    await expect(crashing.run()).rejects.toThrow("crash");
    expect(await left()).toEqual(idsOf(rows).sort());
    const [name] = namesIn(folder, id);
    await retention({ folder }).run();
    expect(await left()).toEqual([]);
    expect(namesIn(folder, id)).toHaveLength(2);
    expect(namesIn(folder, id)[0]).toBe(name ?? "");
    expect(idsOf(archived(folder, id)).sort()).toEqual(idsOf(rows).sort());
  });

  test("a stop in the middle of a day leaves the rest for later, and no file replaces another", async () => {
    const { id, rows, left } = await organization(times(250, () => 40));
    const folder = newFolder();
    const stopping = new AbortController();
    const job = retention({ folder });
    const first = auditLogRetention(fixture.store, { folder }, silent, {
      archived: () => undefined,
      deleted: () => stopping.abort(),
    });
    await first.run(stopping.signal);
    const rest = await left();
    expect(rest.length).toBeWithin(1, 250);
    await job.run();
    expect(await left()).toEqual([]);
    expect(namesIn(folder, id)).toHaveLength(2);
    expect(new Set(idsOf(archived(folder, id)))).toEqual(new Set(idsOf(rows)));
    expect(archived(folder, id)).toHaveLength(250 + rest.length);
  });

  test("two nodes at the same time archive and delete every entry", async () => {
    const { id, rows, left } = await organization(times(120, (index) => 40 + (index % 3)));
    const folder = newFolder();
    const [one, other] = [retention({ folder }), retention({ folder })];
    await Promise.all([one.run(), other.run()]);
    expect(await left()).toEqual([]);
    expect(one.counts.deleted + other.counts.deleted).toBe(120);
    expect(new Set(idsOf(archived(folder, id)))).toEqual(new Set(idsOf(rows)));
    expect(namesIn(folder, id).filter((name) => name.endsWith(".part"))).toEqual([]);
  });

  test("nothing is deleted while the archive cannot be written, the reason says where, and the next run does it", async () => {
    const { rows, left } = await organization([40]);
    const folder = newFolder();
    const [missing, file] = [join(folder, "missing"), join(folder, "file")];
    writeFileSync(file, "");
    await expect(retention({ folder: missing }).run()).rejects.toThrow(`${missing}, which does not exist.`);
    expect(existsSync(missing)).toBeFalse();
    await expect(retention({ folder: file }).run()).rejects.toThrow(`${file}, which is not a folder.`);
    expect(await left()).toEqual(idsOf(rows));
    mkdirSync(missing);
    await retention({ folder: missing }).run();
    expect(await left()).toEqual([]);
  });

  test("an organization that cannot be archived keeps its entries, and delays no other", async () => {
    const [one, other] = [await organization([40, 39]), await organization([40])];
    const folder = newFolder();
    writeFileSync(join(folder, one.id), "");
    await expect(retention({ folder }).run()).rejects.toThrow(join(folder, one.id));
    expect(await one.left()).toEqual(idsOf(one.rows).sort());
    expect(await other.left()).toEqual([]);
    rmSync(join(folder, one.id));
    await retention({ folder }).run();
    expect(await one.left()).toEqual([]);
  });

  test("who last revealed a product's signing secret stays known until someone else does", async () => {
    const action = "product.signing_secret_revealed";
    const { id, rows, left } = await organization([50, 40], { action, subject_kind: "product" });
    const [subjectId, folder] = [rows[0]?.subject_id ?? "", newFolder()];
    await retention({ folder }).run();
    expect(await left()).toEqual([rows[1]?.id ?? ""]);
    expect(await lastEntry(fixture.reads, { organizationId: id, subjectId, action })).toMatchObject({
      id: rows[1]?.id,
    });
    const newer = auditRow({ organization_id: id, at: daysAgo(1), action, subject_id: subjectId });
    await fixture.write((db) => addAuditEntries(db, [newer]));
    await retention({ folder }).run();
    expect(await left()).toEqual([newer.id]);
    expect(idsOf(archived(folder, id)).sort()).toEqual(idsOf(rows).sort());
  });
});

const silent = { debug() {}, info() {}, warn() {}, error() {} };
