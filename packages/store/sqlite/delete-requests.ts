import type { DatabaseSync } from "node:sqlite";
import { everyBucket, keysIn } from "../request-log/keys.ts";
import { storedBytes } from "../request-log/segment.ts";
import { dayOf, keysTable, logColumns, logTable } from "../request-log/tables.ts";
import type { RequestLogRow, RequestSegmentRow } from "../tables/journal.ts";
import { writeKeys } from "./request-log.ts";

/** Deletes the rows of some organizations from a segment, and returns how many. Its keys are written again. */
export function deleteFromSegment(
  journal: DatabaseSync,
  segment: RequestSegmentRow,
  organizationIds: readonly string[],
): number {
  const { from_at: from, until_at: until } = segment;
  const log = logTable(dayOf(from));
  deleteKeys(journal, segment);
  const { changes } = journal
    .prepare(
      `delete from ${log} where at >= ? and at < ? and organization_id in (select value from json_each(?))`,
    )
    .run(from, until, JSON.stringify(organizationIds));
  const rows = journal
    .prepare(`select ${logColumns.join()} from ${log} where at >= ? and at < ? order by at, id`)
    .all(from, until) as unknown as RequestLogRow[];
  const keys = keysIn(rows, from);
  writeKeys(journal, keys);
  if (rows.length === 0) journal.prepare("delete from request_segments where from_at = ?").run(from);
  else
    journal
      .prepare("update request_segments set rows = ?, bytes = ? where from_at = ?")
      .run(rows.length, storedBytes("sqlite", rows, keys), from);
  return Number(changes);
}

/** Keys are sorted by key and not by segment: those that a segment can have are named, so that no others are read. */
function deleteKeys(journal: DatabaseSync, { from_at: from, until_at: until }: RequestSegmentRow): void {
  const day = dayOf(from);
  const organizations = journal
    .prepare(`select distinct organization_id from ${logTable(day)} where at >= ? and at < ?`)
    .all(from, until)
    .map((row) => row.organization_id);
  const statement = journal.prepare(
    `delete from ${keysTable(day)}
     where kind = ? and key in (select value from json_each(?)) and from_at = ?`,
  );
  statement.run("o", JSON.stringify(organizations), from);
  for (const kind of ["l", "i"]) statement.run(kind, JSON.stringify(everyBucket), from);
}

/** Some segments that start after this, in their order. */
export function segmentsAfter(journal: DatabaseSync, after: number, most: number): RequestSegmentRow[] {
  return journal
    .prepare("select * from request_segments where from_at > ? order by from_at limit ?")
    .all(after, most) as unknown as RequestSegmentRow[];
}
