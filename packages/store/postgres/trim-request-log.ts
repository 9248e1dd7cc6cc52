import type pg from "pg";
import type { LogCut } from "../log-retention.ts";
import {
  cutsToFit,
  type DayUse,
  dayUseQuery,
  type LogUse,
  type SegmentUse,
  segmentUseQuery,
} from "../request-log/cuts.ts";
import { endedList, numbers, texts } from "./request-log.ts";

/** What has to be cut; nothing while earlier cuts are still being deleted. */
export async function dueCuts(journal: pg.Client, maxBytes: number): Promise<LogCut[]> {
  const { rows } = await journal.query<{ position: number | null; bytes: number }>(
    `select sweep_position as position,
      (select coalesce(sum(bytes), 0)::bigint from request_segments) as bytes
     from request_log_state`,
  );
  const size = rows[0];
  if (size === undefined || size.position !== null || size.bytes <= maxBytes) return [];
  return cutsToFit(await useOf(journal), maxBytes);
}

/** In a transaction. The next sweep deletes what was cut. Two nodes that find the same cuts write them twice. */
export async function writeCuts(journal: pg.Client, cuts: readonly LogCut[]): Promise<void> {
  await journal.query(
    `insert into request_log_cuts as c (organization_id, cut_until)
     select * from unnest(${texts("$1")}, ${numbers("$2")}) as cut (organization_id) where organization_id is not null
     on conflict (organization_id) do update set cut_until = greatest(c.cut_until, excluded.cut_until)`,
    [endedList(cuts, ({ organizationId }) => organizationId), endedList(cuts, ({ untilMs }) => untilMs)],
  );
  await journal.query("update request_log_state set sweep_position = -1");
}

async function useOf(journal: pg.Client): Promise<LogUse> {
  const { rows: days } = await journal.query<{ day: number }>("select day from request_days order by day");
  const { rows: states } = await journal.query<{ closed_until: number }>(
    "select closed_until from request_log_state",
  );
  return {
    closedUntil: states[0]?.closed_until ?? 0,
    ofDays: async () => {
      const found: DayUse[] = [];
      for (const { day } of days) {
        const { rows } = await journal.query<DayUse>(dayUseQuery(day));
        found.push(...rows.map((use) => ({ ...use, day })));
      }
      return found;
    },
    ofSegments: async (organizationId, day) =>
      (await journal.query<SegmentUse>(segmentUseQuery(day, "$1"), [organizationId])).rows,
  };
}
