import type { DatabaseSync } from "node:sqlite";
import { dayOf, startOfDay } from "../request-log/tables.ts";
import { deleteSegment, segmentsAfter } from "./delete-requests.ts";
import type { SqliteRequestLog } from "./request-log.ts";

/** One step, as described in `Journal.trim`. */
export function trimSome(journal: DatabaseSync, log: SqliteRequestLog, mostBytes: number): number | null {
  const total = journal
    .prepare("select coalesce(sum(bytes), 0) as bytes, max(from_at) as newest from request_segments")
    .get();
  const [oldest] = segmentsAfter(journal, -1, 1);
  if (oldest === undefined || Number(total?.bytes) <= mostBytes) return null;
  const day = dayOf(oldest.from_at);
  const isWholeDay = day < dayOf(Number(total?.newest));
  if (isWholeDay) log.dropDay(day);
  else deleteSegment(journal, oldest);
  const until = isWholeDay ? startOfDay(day + 1) : oldest.until_at;
  journal.prepare("update request_log_state set cut_until = ? where id = 1").run(until);
  return until;
}
