import * as contract from "@countersign/contract/manage/versions";
import { isoTime } from "@countersign/domain/dates/iso-time";
import {
  newestFirst,
  parseVersionRecord,
  patternKey,
  type VersionRecordPattern,
  type VersionState,
} from "@countersign/domain/versions/catalog";
import {
  removeVersion,
  replaceVersions,
  setVersion,
  versionsOf,
} from "@countersign/store/queries/versions/versions";
import type { ProductRow, ProductVersionRow } from "@countersign/store/tables/products";
import { type BoundRoute, bind } from "../../api/context.ts";
import { decodeCursor, pageOf } from "../../api/page.ts";
import { invalid, Problem } from "../../http/problem.ts";
import { audit } from "../audit-log/record.ts";
import { currentProduct } from "../products/product.ts";

export const versionRoutes: readonly BoundRoute[] = [
  bind(contract.listVersions, async (context, { query }) => {
    const after = decodeCursor(query.cursor, ["text"]);
    const { product } = context;
    const records = sortedRecords(await versionsOf(context.store.reads, product.id));
    const from = after === null ? null : parseVersionRecord(String(after[0]));
    const rest = from === null ? records : records.filter(({ pattern }) => newestFirst(from, pattern) < 0);
    const page = pageOf(
      rest,
      query.limit,
      ({ row }) => [row.version],
      ({ row }) => show(row),
    );
    // Read before the list: a change in between makes it outdated, never too new.
    return { ...page, revision: product.versions_revision };
  }),

  bind(contract.addVersion, async (context, { body }) =>
    context.transaction(async (db) => {
      const product = await currentProduct(db, context.product.id);
      const rows = await versionsOf(db, product.id);
      const known = recordOf(rows, body.version);
      if (known !== null) throw alreadyThere(body.version, known);
      if (rows.length >= contract.maxVersions) {
        throw new Problem("version_limit_reached", { limit: contract.maxVersions });
      }
      await setVersion(db, product.id, body, context.nowMs);
      await audit(db, context, {
        action: "product.version_added",
        subject: subject(product),
        ...changedStates(rows, body),
      });
      return show({ ...body, created_at: context.nowMs });
    }),
  ),

  bind(contract.replaceVersions, async (context, { body }) => {
    checkList(body.versions);
    const { rows, revision } = await context.transaction(async (db) => {
      const product = await currentProduct(db, context.product.id);
      if (body.revision !== undefined && body.revision !== product.versions_revision)
        throw new Problem("versions_changed_meanwhile");
      const before = await versionsOf(db, product.id);
      const known = byRecordKey(before);
      const rows = body.versions.map((record) => ({
        ...record,
        product_id: product.id,
        created_at: known.get(recordKey(record.version))?.created_at ?? context.nowMs,
      }));
      await replaceVersions(db, context.store.bulk, product.id, rows);
      await audit(db, context, {
        action: "product.versions_replaced",
        subject: subject(product),
        ...replacedStates(before, rows),
      });
      return { rows, revision: product.versions_revision + 1 };
    });
    // Sorting thousands of versions takes a while, and must not make others wait.
    return { data: sortedRecords(rows).map(({ row }) => show(row)), revision };
  }),

  bind(contract.updateVersion, async (context, input) =>
    context.transaction(async (db) => {
      const product = await currentProduct(db, context.product.id);
      const rows = await versionsOf(db, product.id);
      const row = recordOf(rows, input.params.version);
      if (row === null) throw new Problem("version_not_found");
      const changed = { version: row.version, state: input.body.state };
      if (row.state !== changed.state) {
        await setVersion(db, product.id, changed, context.nowMs);
        await audit(db, context, {
          action: "product.version_updated",
          subject: subject(product),
          ...changedStates(rows, changed),
        });
      }
      return show({ ...row, ...changed });
    }),
  ),

  bind(contract.deleteVersion, async (context, input) =>
    context.transaction(async (db) => {
      const product = await currentProduct(db, context.product.id);
      const row = recordOf(await versionsOf(db, product.id), input.params.version);
      if (row === null) throw new Problem("version_not_found");
      await removeVersion(db, product.id, row.version);
      await audit(db, context, {
        action: "product.version_removed",
        subject: subject(product),
        before: { [row.version]: row.state },
      });
    }),
  ),
];

/**
 * `2.1` and `v2.1.0` are the same version, and only one version is the latest: a list that says otherwise contradicts
 * itself.
 */
function checkList(records: readonly VersionRecord[]): void {
  const seen = new Map<string | null, VersionRecord>();
  let latest: string | null = null;
  records.forEach((record, index) => {
    const same = seen.get(recordKey(record.version));
    if (same !== undefined)
      throw invalid(`versions.${index}.version`, "duplicate_version", { version: same.version });
    if (record.state === "latest" && latest !== null)
      throw invalid(`versions.${index}.state`, "second_latest_version", { version: latest });
    if (record.state === "latest") latest = record.version;
    seen.set(recordKey(record.version), record);
  });
}

function alreadyThere(version: string, known: VersionRecord): Problem {
  const { version: existing, state } = known;
  return new Problem("version_exists", { version, existing, state }, { field: "version" });
}

/** The records that one change affects: its own, and the previous latest version. */
function changedStates(rows: readonly VersionRecord[], record: VersionRecord) {
  const after: Record<string, string> = { [record.version]: record.state };
  const before: Record<string, string> = {};
  for (const row of rows) {
    if (row.version === record.version) before[row.version] = row.state;
    else if (record.state === "latest" && row.state === "latest") {
      before[row.version] = "latest";
      after[row.version] = "allowed";
    }
  }
  return Object.keys(before).length === 0 ? { after } : { before, after };
}

function replacedStates(before: readonly VersionRecord[], after: readonly VersionRecord[]) {
  const states = (records: readonly VersionRecord[], others: readonly VersionRecord[]) => {
    const same = new Set(others.map(({ version, state }) => `${version} ${state}`));
    const changed = records.filter(({ version, state }) => !same.has(`${version} ${state}`));
    return Object.fromEntries(changed.map(({ version, state }) => [version, state]));
  };
  return { before: states(before, after), after: states(after, before) };
}

function show(row: Omit<ProductVersionRow, "product_id">) {
  return { version: row.version, state: row.state, created_at: isoTime(row.created_at) };
}

function subject({ id, name }: ProductRow) {
  return { kind: "product", id, name };
}

interface VersionRecord {
  readonly version: string;
  readonly state: VersionState;
}

/** Equal for texts that mean the same version or line, however they are written; null for invalid ones. */
function recordKey(version: string): string | null {
  const pattern = parseVersionRecord(version);
  return pattern === null ? null : patternKey(pattern);
}

function byRecordKey<Row extends VersionRecord>(rows: readonly Row[]): Map<string | null, Row> {
  return new Map(rows.map((row) => [recordKey(row.version), row]));
}

/** The record that covers the same versions as this text. */
function recordOf<Row extends VersionRecord>(rows: readonly Row[], version: string): Row | null {
  const wanted = recordKey(version);
  return wanted === null ? null : (byRecordKey(rows).get(wanted) ?? null);
}

/** Newest first, by version precedence. */
function sortedRecords<Row extends VersionRecord>(
  rows: readonly Row[],
): { row: Row; pattern: VersionRecordPattern }[] {
  return rows
    .flatMap((row) => {
      const pattern = parseVersionRecord(row.version);
      return pattern === null ? [] : [{ row, pattern }];
    })
    .sort((a, b) => newestFirst(a.pattern, b.pattern));
}
