import type { DatabaseSync } from "node:sqlite";
import { dayOf, keysTable, logTable } from "../request-log/tables.ts";
import type { RequestSegmentRow } from "../tables.ts";

/**
 * Deletes the rows of some organizations from a segment, and the keys that occurred only in them. Returns how many rows.
 */
export function deleteFromSegment(
  journal: DatabaseSync,
  segment: RequestSegmentRow,
  organizationIds: readonly string[],
): number {
  const { from_at: from, until_at: until } = segment;
  const [log, keys] = [logTable(dayOf(from)), keysTable(dayOf(from))];
  const ids = JSON.stringify(organizationIds);
  const these = "organization_id in (select value from json_each(?))";
  journal
    .prepare(
      `delete from ${keys} where from_at = ? and kind = 'l' and key in
        (select license_id from ${log} where at >= ? and at < ? and ${these})`,
    )
    .run(from, from, until, ids);
  journal
    .prepare(
      `delete from ${keys} where from_at = ? and kind = 'o' and key in (select value from json_each(?))`,
    )
    .run(from, ids);
  // The keys of IP addresses begin with the organization and a space.
  const ips = journal.prepare(
    `delete from ${keys} where from_at = ? and kind = 'i' and key >= ? and key < ?`,
  );
  for (const id of organizationIds) ips.run(from, `${id} `, `${id}!`);
  const { changes } = journal
    .prepare(`delete from ${log} where at >= ? and at < ? and ${these}`)
    .run(from, until, ids);
  const deleted = Number(changes);
  if (deleted >= segment.rows) deleteSegment(journal, segment);
  else
    journal
      .prepare(
        "update request_segments set rows = rows - ?1, bytes = bytes * (rows - ?1) / rows where from_at = ?2",
      )
      .run(deleted, from);
  return deleted;
}

/** Deletes a segment with its rows. */
export function deleteSegment(
  journal: DatabaseSync,
  { from_at: from, until_at: until }: RequestSegmentRow,
): void {
  journal.prepare(`delete from ${logTable(dayOf(from))} where at >= ? and at < ?`).run(from, until);
  journal.prepare(`delete from ${keysTable(dayOf(from))} where from_at = ?`).run(from);
  journal.prepare("delete from request_segments where from_at = ?").run(from);
}

/** Some segments that start after this, in their order. */
export function segmentsAfter(journal: DatabaseSync, after: number, most: number): RequestSegmentRow[] {
  return journal
    .prepare("select * from request_segments where from_at > ? order by from_at limit ?")
    .all(after, most) as unknown as RequestSegmentRow[];
}
