import type { DatabaseSync } from "node:sqlite";
import type { LogCut } from "../log-retention.ts";
import {
  cutsToFit,
  type DayUse,
  dayUseQuery,
  type LogUse,
  type SegmentUse,
  segmentUseQuery,
} from "../request-log/cuts.ts";

/** What has to be cut; nothing while earlier cuts are still being deleted. */
export async function dueCuts(journal: DatabaseSync, maxBytes: number): Promise<LogCut[]> {
  const size = journal
    .prepare(
      `select sweep_position as position, (select coalesce(sum(bytes), 0) from request_segments) as bytes
       from request_log_state`,
    )
    .get();
  if (size?.position !== null || Number(size.bytes) <= maxBytes) return [];
  return cutsToFit(useOf(journal), maxBytes);
}

/** In a transaction. The next sweep deletes what was cut. */
export function writeCuts(journal: DatabaseSync, cuts: readonly LogCut[]): void {
  const statement = journal.prepare(
    `insert into request_log_cuts as c (organization_id, cut_until) values (?, ?)
     on conflict (organization_id) do update set cut_until = max(c.cut_until, excluded.cut_until)`,
  );
  for (const { organizationId, untilMs } of cuts) statement.run(organizationId, untilMs);
  journal.exec("update request_log_state set sweep_position = -1");
}

function useOf(journal: DatabaseSync): LogUse {
  const days = journal.prepare("select day from request_days order by day").all() as { day: number }[];
  const state = journal.prepare("select closed_until from request_log_state").get();
  return {
    closedUntil: Number(state?.closed_until),
    ofDays: async () =>
      days.flatMap(({ day }) =>
        (journal.prepare(dayUseQuery(day)).all() as unknown as DayUse[]).map((use) => ({ ...use, day })),
      ),
    ofSegments: async (organizationId, day) =>
      journal.prepare(segmentUseQuery(day, "?1")).all(organizationId) as unknown as SegmentUse[],
  };
}
