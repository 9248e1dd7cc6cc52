import type pg from "pg";
import { dayOf, startOfDay } from "../request-log/tables.ts";
import { deleteSegment, segmentsAfter } from "./delete-requests.ts";
import type { PostgresRequestLog } from "./request-log.ts";

export async function logSize(journal: pg.Client): Promise<{ bytes: number; newest: number }> {
  const { rows } = await journal.query<{ bytes: number; newest: number | null }>(
    "select coalesce(sum(bytes), 0)::bigint as bytes, max(from_at) as newest from request_segments",
  );
  return { bytes: rows[0]?.bytes ?? 0, newest: rows[0]?.newest ?? 0 };
}

/** One step, as described in `Journal.trim`. */
export async function trimSome(
  journal: pg.Client,
  log: PostgresRequestLog,
  mostBytes: number,
): Promise<number | null> {
  const { bytes, newest } = await logSize(journal);
  const [oldest] = await segmentsAfter(journal, -1, 1);
  if (oldest === undefined || bytes <= mostBytes) return null;
  const day = dayOf(oldest.from_at);
  const isWholeDay = day < dayOf(newest);
  if (isWholeDay) await log.dropDay(journal, day);
  else await deleteSegment(journal, oldest);
  const until = isWholeDay ? startOfDay(day + 1) : oldest.until_at;
  await journal.query("update request_log_state set cut_until = $1 where id = 1", [until]);
  return until;
}
