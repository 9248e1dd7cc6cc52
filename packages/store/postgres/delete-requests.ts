import type pg from "pg";
import { keysIn } from "../request-log/keys.ts";
import { storedBytes } from "../request-log/segment.ts";
import { logColumns } from "../request-log/tables.ts";
import type { RequestLogRow, RequestSegmentRow } from "../tables.ts";
import { writeKeys } from "./request-log.ts";

/** Deletes the rows of some organizations from a segment, and returns how many. Its keys are written again. */
export async function deleteFromSegment(
  journal: pg.Client,
  segment: RequestSegmentRow,
  organizationIds: readonly string[],
): Promise<number> {
  const { from_at: from, until_at: until } = segment;
  const { rowCount } = await journal.query(
    "delete from request_log where at >= $1 and at < $2 and organization_id = any ($3::text[])",
    [from, until, [...organizationIds]],
  );
  const { rows } = await journal.query<RequestLogRow>(
    `select ${logColumns.join()} from request_log where at >= $1 and at < $2 order by at, id`,
    [from, until],
  );
  await journal.query("delete from request_keys where from_at = $1", [from]);
  const keys = keysIn(rows, from);
  await writeKeys(journal, keys);
  if (rows.length === 0) await journal.query("delete from request_segments where from_at = $1", [from]);
  else
    await journal.query("update request_segments set rows = $1, bytes = $2 where from_at = $3", [
      rows.length,
      storedBytes("postgres", rows, keys),
      from,
    ]);
  return rowCount ?? 0;
}

/** Deletes a segment with its rows. */
export async function deleteSegment(
  journal: pg.Client,
  { from_at: from, until_at: until }: RequestSegmentRow,
): Promise<void> {
  await journal.query("delete from request_log where at >= $1 and at < $2", [from, until]);
  await journal.query("delete from request_keys where from_at = $1", [from]);
  await journal.query("delete from request_segments where from_at = $1", [from]);
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
