import type pg from "pg";
import { dayOf, startOfDay } from "../request-log/tables.ts";
import { deleteSegment, segmentsAfter } from "./delete-requests.ts";
import type { PostgresRequestLog } from "./request-log.ts";

/** One step, as described in `Journal.trim`. */
export async function trimSome(
  journal: pg.Client,
  log: PostgresRequestLog,
  mostBytes: number,
): Promise<number | null> {
  const { rows } = await journal.query<{ bytes: number; newest: number }>(
    "select coalesce(sum(bytes), 0)::bigint as bytes, max(from_at) as newest from request_segments",
  );
  const [oldest] = await segmentsAfter(journal, -1, 1);
  if (oldest === undefined || rows[0] === undefined || rows[0].bytes <= mostBytes) return null;
  const day = dayOf(oldest.from_at);
  const isWholeDay = day < dayOf(rows[0].newest);
  if (isWholeDay) await log.dropDay(journal, day);
  else await deleteSegment(journal, oldest);
  const until = isWholeDay ? startOfDay(day + 1) : oldest.until_at;
  await journal.query("update request_log_state set cut_until = $1 where id = 1", [until]);
  return until;
}
