import type pg from "pg";
import type { RequestSegmentRow } from "../tables.ts";

/**
 * Deletes the rows of some organizations from a segment, and the keys that occurred only in them. Returns how many rows.
 */
export async function deleteFromSegment(
  journal: pg.Client,
  segment: RequestSegmentRow,
  organizationIds: readonly string[],
): Promise<number> {
  const { from_at: from, until_at: until } = segment;
  const ids = [...organizationIds];
  const these = "at >= $1 and at < $2 and organization_id = any ($3::text[])";
  await journal.query(
    `delete from request_keys where from_at = $1 and kind = 'l' and key in
      (select license_id from request_log where ${these})`,
    [from, until, ids],
  );
  // The keys of IP addresses begin with the organization and a space.
  await journal.query(
    `delete from request_keys where from_at = $1 and
      (kind = 'o' and key = any ($2::text[]) or kind = 'i' and split_part(key, ' ', 1) = any ($2::text[]))`,
    [from, ids],
  );
  const { rowCount } = await journal.query(`delete from request_log where ${these}`, [from, until, ids]);
  const deleted = rowCount ?? 0;
  if (deleted >= segment.rows) await deleteSegment(journal, segment);
  else
    await journal.query(
      "update request_segments set rows = rows - $1, bytes = bytes * (rows - $1) / rows where from_at = $2",
      [deleted, from],
    );
  return deleted;
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
