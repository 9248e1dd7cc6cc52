import { dayMs } from "@countersign/domain/dates/lengths";
import type { LogCut } from "../log-retention.ts";
import type { RequestLog } from "./request-log.ts";
import { keysTable, startOfDay } from "./tables.ts";

/**
 * A log that is too large: which organizations lose how much. Each can have the same share of the disk space, and what
 * some do not need is shared by the others. So an organization with many requests shortens its own log, and nobody
 * else's.
 */

/** Once the log is too large, it is cut to this part of what it can take, so that it is not done again at once. */
const cutTo = 0.95;

/** How much an organization has in a day of the log. */
interface DayUse {
  readonly day: number;
  readonly organizationId: string;
  readonly bytes: number;
}

/** How much an organization has in a segment. */
interface SegmentUse {
  readonly untilMs: number;
  readonly bytes: number;
}

/** Reads how the log is used, the oldest first. */
export interface LogUse {
  /** The end of the last segment. */
  readonly closedUntil: number;
  ofDays(): Promise<readonly DayUse[]>;
  ofSegments(organizationId: string, day: number): Promise<readonly SegmentUse[]>;
}

/** What has to be cut; nothing while earlier cuts are still being deleted. */
export async function dueCuts(log: RequestLog, maxBytes: number): Promise<LogCut[]> {
  const [size] = await log.rows<{ position: number | null; bytes: number }>(
    `select sweep_position as position,
      (select cast(coalesce(sum(bytes), 0) as bigint) from request_segments) as bytes
     from request_log_state`,
  );
  if (size === undefined || size.position !== null || size.bytes <= maxBytes) return [];
  return cutsToFit(await useOf(log), maxBytes);
}

/** In a transaction. The next sweep deletes what was cut. Two nodes that find the same cuts write them twice. */
export async function writeCuts(log: RequestLog, cuts: readonly LogCut[]): Promise<void> {
  // Sent together.
  await Promise.all(
    cuts.map(({ organizationId, untilMs }) =>
      log.change(
        `insert into request_log_cuts as c (organization_id, cut_until) values ($1, $2)
         on conflict (organization_id) do update set cut_until = excluded.cut_until
         where excluded.cut_until > c.cut_until`,
        organizationId,
        untilMs,
      ),
    ),
  );
  await log.change("update request_log_state set sweep_position = -1");
}

async function useOf(log: RequestLog): Promise<LogUse> {
  const days = await log.rows<{ day: number }>("select day from request_days order by day");
  const [state] = await log.rows<{ closed_until: number }>("select closed_until from request_log_state");
  return {
    closedUntil: state?.closed_until ?? 0,
    ofDays: async () => {
      const uses: DayUse[] = [];
      for (const { day } of days) {
        const usesOfDay = await log.rows<DayUse>(dayUseQuery(day));
        uses.push(...usesOfDay.map((use) => ({ ...use, day })));
      }
      return uses;
    },
    ofSegments: (organizationId, day) => log.rows<SegmentUse>(segmentUseQuery(day), organizationId),
  };
}

/** The cuts that make the log small enough. */
export async function cutsToFit(use: LogUse, maxBytes: number): Promise<LogCut[]> {
  const byOrganization = Map.groupBy(await use.ofDays(), ({ organizationId }) => organizationId);
  const totals = new Map([...byOrganization].map(([id, days]) => [id, sumOf(days)]));
  const share = fairShare([...totals.values()], maxBytes * cutTo);
  const cuts: LogCut[] = [];
  for (const [organizationId, days] of byOrganization) {
    const excess = (totals.get(organizationId) ?? 0) - share;
    if (excess > 0) cuts.push({ organizationId, untilMs: await endOf(use, days, excess) });
  }
  return cuts;
}

/** The most that each can have if all together have this much. Infinite if that is enough for everyone. */
export function fairShare(totals: readonly number[], maxBytes: number): number {
  let left = maxBytes;
  for (const [index, total] of totals.toSorted((a, b) => a - b).entries()) {
    const share = left / (totals.length - index);
    if (total > share) return share;
    left -= total;
  }
  return Number.POSITIVE_INFINITY;
}

/** Until when so much of an organization's log reaches: whole days, and the oldest segments of the next. */
async function endOf(use: LogUse, days: readonly DayUse[], bytes: number): Promise<number> {
  let left = bytes;
  let untilMs = 0;
  for (const { day, organizationId, bytes: ofDay } of days) {
    if (ofDay <= left) {
      left -= ofDay;
      untilMs = Math.min(startOfDay(day + 1), use.closedUntil);
      if (left <= 0) return untilMs;
      continue;
    }
    for (const segment of await use.ofSegments(organizationId, day)) {
      left -= segment.bytes;
      untilMs = segment.untilMs;
      if (left <= 0) return untilMs;
    }
  }
  return untilMs;
}

function sumOf(days: readonly DayUse[]): number {
  return days.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Selects what each organization has in a day: of its segments, the same part as of their rows. */
function dayUseQuery(day: number): string {
  return `select key as "organizationId", cast(sum(count) * (
      select 1.0 * sum(bytes) / sum(rows) from request_segments where ${within(day)}
    ) as bigint) as bytes
    from ${keysTable(day)} where kind = 'o' group by key`;
}

/** Selects what one organization, $1, has in each segment of a day. */
function segmentUseQuery(day: number): string {
  return `select s.until_at as "untilMs", cast(1.0 * k.count * s.bytes / s.rows as bigint) as bytes
    from ${keysTable(day)} k join request_segments s on s.from_at = k.from_at
    where k.kind = 'o' and k.key = $1 order by s.from_at`;
}

/** Forgets cuts before the oldest day: what they deleted would be gone anyway. */
export const forgetCuts = `delete from request_log_cuts
  where cut_until <= coalesce((select min(day) * ${dayMs} from request_days), cut_until)`;

function within(day: number): string {
  return `from_at >= ${startOfDay(day)} and from_at < ${startOfDay(day + 1)}`;
}
