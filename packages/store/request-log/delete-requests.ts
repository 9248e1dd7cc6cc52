import { segmentsAtOnce } from "../log-retention.ts";
import type { RequestLogRow, RequestSegmentRow } from "../tables/journal.ts";
import { everyBucket, keysIn } from "./keys.ts";
import type { RequestLog } from "./request-log.ts";
import { storedBytes } from "./segment.ts";
import { dayOf, keysTable, logColumns, logTable } from "./tables.ts";

/** Deletes rows from a segment, by organization or ID, and returns how many. Its keys are written again. */
export async function deleteFromSegment(
  log: RequestLog,
  segment: RequestSegmentRow,
  column: "organization_id" | "id",
  values: readonly string[],
): Promise<number> {
  const { from_at: from, until_at: until } = segment;
  const table = logTable(dayOf(from));
  await deleteKeys(log, segment);
  const deleted = await log.change(
    `delete from ${table} where at >= $1 and at < $2 and ${log.among(column, "$3")}`,
    from,
    until,
    values,
  );
  const rows = await log.rows<RequestLogRow>(
    `select ${logColumns.join()} from ${table} where at >= $1 and at < $2 order by at, id`,
    from,
    until,
  );
  const keys = keysIn(rows, from);
  await log.writeKeys(keys);
  const bytes = rows.length === 0 ? 0 : storedBytes(log.kind, rows, keys);
  if (rows.length === 0) await log.change("delete from request_segments where from_at = $1", from);
  else
    await log.change(
      "update request_segments set rows = $1, bytes = $2 where from_at = $3",
      rows.length,
      bytes,
      from,
    );
  // What they took on disk is only free once the day is rewritten. SQLite uses the space again.
  if (log.kind === "postgres")
    await log.change(
      "update request_days set deleted_bytes = deleted_bytes + $1 where day = $2",
      Math.max(0, segment.bytes - bytes),
      dayOf(from),
    );
  return deleted;
}

/** Keys are sorted by key and not by segment: those that a segment can have are named, so that no others are read. */
async function deleteKeys(
  log: RequestLog,
  { from_at: from, until_at: until }: RequestSegmentRow,
): Promise<void> {
  const day = dayOf(from);
  const organizations = await log.rows<{ organization_id: string }>(
    `select distinct organization_id from ${logTable(day)} where at >= $1 and at < $2`,
    from,
    until,
  );
  const organizationIds = organizations.map((row) => row.organization_id);
  for (const [kind, keys] of [
    ["o", organizationIds],
    ["l", everyBucket],
    ["i", everyBucket],
  ] as const)
    await log.change(
      `delete from ${keysTable(day)} where kind = $1 and ${log.among("key", "$2")} and from_at = $3`,
      kind,
      keys,
      from,
    );
}

/** Some segments that start after this, in their order. */
export function segmentsAfter(log: RequestLog, after: number, limit: number): Promise<RequestSegmentRow[]> {
  return log.rows<RequestSegmentRow>(
    "select * from request_segments where from_at > $1 order by from_at limit $2",
    after,
    limit,
  );
}

/** The next segment with requests of the organization, and where to continue: null after the last segment. */
export async function nextSegmentWith(
  log: RequestLog,
  organizationId: string,
  after: string,
): Promise<{ segment: RequestSegmentRow | null; last: string | null }> {
  const segments = await segmentsAfter(log, after === "" ? -1 : Number(after), segmentsAtOnce);
  const segment = await firstWith(log, organizationId, segments);
  const last = segment ?? segments.at(-1);
  return { segment, last: last === undefined ? null : String(last.from_at) };
}

/** The first segment with requests of the organization. */
async function firstWith(
  log: RequestLog,
  organizationId: string,
  segments: readonly RequestSegmentRow[],
): Promise<RequestSegmentRow | null> {
  for (const [day, segmentsOfDay] of Map.groupBy(segments, ({ from_at }) => dayOf(from_at))) {
    const rows = await log.rows<{ from_at: number }>(
      `select from_at from ${keysTable(day)}
       where kind = 'o' and key = $1 and from_at between $2 and $3 order by from_at limit 1`,
      organizationId,
      segmentsOfDay[0]?.from_at ?? 0,
      segmentsOfDay.at(-1)?.from_at ?? 0,
    );
    const first = segmentsOfDay.find(({ from_at }) => from_at === rows[0]?.from_at);
    if (first !== undefined) return first;
  }
  return null;
}

/** The days with requests that are in no segment yet, and when the last segment ends. */
export async function openDays(log: RequestLog): Promise<{ closedUntil: number; days: { day: number }[] }> {
  const states = await log.rows<{ closed_until: number }>("select closed_until from request_log_state");
  const closedUntil = states[0]?.closed_until ?? 0;
  const days = await log.rows<{ day: number }>(
    "select day from request_days where day >= $1",
    dayOf(closedUntil),
  );
  return { closedUntil, days };
}
