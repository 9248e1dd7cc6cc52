import type pg from "pg";
import { everyBucket, keysIn } from "../request-log/keys.ts";
import { storedBytes } from "../request-log/segment.ts";
import { dayOf, logColumns } from "../request-log/tables.ts";
import type { RequestLogRow, RequestSegmentRow } from "../tables/journal.ts";
import { writeKeys } from "./request-log.ts";

/**
 * Deletes the rows of some organizations from a segment, and returns how many. Its keys are written again. What they took
 * on disk is only free once the day is rewritten: see `rewrite-day.ts`.
 */
export async function deleteFromSegment(
  journal: pg.Client,
  segment: RequestSegmentRow,
  organizationIds: readonly string[],
): Promise<number> {
  const { from_at: from, until_at: until } = segment;
  await deleteKeys(journal, segment);
  const { rowCount } = await journal.query(
    "delete from request_log where at >= $1 and at < $2 and organization_id = any ($3::text[])",
    [from, until, [...organizationIds]],
  );
  const { rows } = await journal.query<RequestLogRow>(
    `select ${logColumns.join()} from request_log where at >= $1 and at < $2 order by at, id`,
    [from, until],
  );
  const keys = keysIn(rows, from);
  await writeKeys(journal, keys);
  const bytes = rows.length === 0 ? 0 : storedBytes("postgres", rows, keys);
  if (rows.length === 0) await journal.query("delete from request_segments where from_at = $1", [from]);
  else
    await journal.query("update request_segments set rows = $1, bytes = $2 where from_at = $3", [
      rows.length,
      bytes,
      from,
    ]);
  await journal.query("update request_days set deleted_bytes = deleted_bytes + $1 where day = $2", [
    Math.max(0, segment.bytes - bytes),
    dayOf(from),
  ]);
  return rowCount ?? 0;
}

/** Keys are indexed by key and not by segment: those that a segment can have are named, so that no others are read. */
async function deleteKeys(
  journal: pg.Client,
  { from_at: from, until_at: until }: RequestSegmentRow,
): Promise<void> {
  const { rows } = await journal.query<{ organization_id: string }>(
    "select distinct organization_id from request_log where at >= $1 and at < $2",
    [from, until],
  );
  const organizations = rows.map((row) => row.organization_id);
  for (const [kind, keys] of [
    ["o", organizations],
    ["l", everyBucket],
    ["i", everyBucket],
  ] as const)
    await journal.query(
      "delete from request_keys where kind = $1 and key = any ($2::text[]) and from_at = $3",
      [kind, keys, from],
    );
}

/** Some segments that start after this, in their order. */
export async function segmentsAfter(
  journal: pg.Client,
  after: number,
  most: number,
): Promise<RequestSegmentRow[]> {
  const { rows } = await journal.query<RequestSegmentRow>(
    "select * from request_segments where from_at > $1 order by from_at limit $2",
    [after, most],
  );
  return rows;
}
