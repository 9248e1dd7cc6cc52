import {
  newestFirst,
  parseVersionRecord,
  patternKey,
  type VersionRecordPattern,
  type VersionState,
} from "@countersign/domain/versions/catalog";

export interface VersionRecord {
  readonly version: string;
  readonly state: VersionState;
}

/** Equal for texts that mean the same version or line, however they are written; null for invalid ones. */
export function recordKey(version: string): string | null {
  const pattern = parseVersionRecord(version);
  return pattern === null ? null : patternKey(pattern);
}

export function byRecordKey<Row extends VersionRecord>(rows: readonly Row[]): Map<string | null, Row> {
  return new Map(rows.map((row) => [recordKey(row.version), row]));
}

/** The record that covers the same versions as this text. */
export function recordOf<Row extends VersionRecord>(rows: readonly Row[], version: string): Row | null {
  const wanted = recordKey(version);
  return wanted === null ? null : (byRecordKey(rows).get(wanted) ?? null);
}

/** Newest first, by version precedence. */
export function sortedRecords<Row extends VersionRecord>(
  rows: readonly Row[],
): { row: Row; pattern: VersionRecordPattern }[] {
  return rows
    .flatMap((row) => {
      const pattern = parseVersionRecord(row.version);
      return pattern === null ? [] : [{ row, pattern }];
    })
    .sort((a, b) => newestFirst(a.pattern, b.pattern));
}
