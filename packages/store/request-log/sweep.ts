import { quotaDay } from "@countersign/domain/quota/day";
import { keptSince } from "@countersign/domain/requests/log-days";
import {
  type Cutoffs,
  cutoffs,
  endedBefore,
  type LogRetention,
  lastCutoff,
  nextSweep,
  type OrganizationDaysRow,
  organizationDaysQuery,
  type RetentionRow,
  type RetentionSettings,
  retentionFrom,
  retentionQuery,
  type Sweep,
  segmentsAtOnce,
  sweptAtOnce,
} from "../log-retention.ts";
import { keptRollUps, pruneStatement, rollUpsAtOnce } from "../rollups/retention.ts";
import type { RequestSegmentRow } from "../tables/journal.ts";
import { deleteFromSegment, segmentsAfter } from "./delete-requests.ts";
import type { RequestLog } from "./request-log.ts";
import { dayOf, keysTable, logTable, startOfDay } from "./tables.ts";

export async function storedRetention(
  log: RequestLog,
  environment: RetentionSettings,
): Promise<LogRetention> {
  const [row] = await log.mainRows<RetentionRow>(retentionQuery);
  return retentionFrom(row ?? noRetention, environment);
}

const noRetention: RetentionRow = { stored: null, megabytes: null, shortest: null, longest: null };

/** The oldest day, if it ended before the time until which requests are kept longest. */
export async function oldestEndedDay(
  log: RequestLog,
  { maxDays }: LogRetention,
  nowMs: number,
): Promise<number | null> {
  const [oldest] = await log.rows<{ day: number | null }>(
    "select min(day) as day from request_days where day < $1",
    dayOf(keptSince(maxDays, nowMs)),
  );
  return oldest?.day ?? null;
}

/** Deletes some refusals and roll-ups of days that are no longer kept, and returns how many. */
export async function pruneCounts(
  log: RequestLog,
  { serverDays }: LogRetention,
  nowMs: number,
): Promise<number> {
  const logKeptSinceMs = keptSince(serverDays, nowMs);
  let pruned = await log.change(
    `delete from license_refusals where (license_id, day, status) in
      (select license_id, day, status from license_refusals where day < $1 order by day limit 5000)`,
    quotaDay(logKeptSinceMs),
  );
  for (const table of keptRollUps(nowMs, logKeptSinceMs))
    pruned += await log.change(pruneStatement(table), table.since, rollUpsAtOnce);
  return pruned;
}

/** One step, as described in `Journal.sweep`, in a transaction that the caller has begun. */
export async function sweepSome(log: RequestLog, retention: LogRetention, nowMs: number): Promise<number> {
  const [stored] = await log.rows<Sweep>(
    `select sweep_started_at as "startedAt", sweep_position as position from request_log_state`,
  );
  const sweep = stored === undefined ? null : nextSweep(stored, nowMs);
  if (sweep === null) return 0;
  const cuts = await cutsIn(log);
  const endedMs = lastCutoff(cuts, retention, nowMs);
  const segments = (await segmentsAfter(log, sweep.position, segmentsAtOnce)).filter(
    ({ until_at }) => until_at <= endedMs,
  );
  const since = async (organizationIds: ReadonlySet<string>) =>
    cutoffs(await organizationDays(log, organizationIds), cuts, retention, nowMs);
  const finished = async (position: number | null, lookedAt: number) => {
    await log.change(
      "update request_log_state set sweep_started_at = $1, sweep_position = $2 where id = 1",
      sweep.startedAt,
      position,
    );
    return lookedAt;
  };
  const day = dayOf(segments[0]?.from_at ?? 0);
  const isStart = segments.length > 0 && sweep.position < startOfDay(day);
  if (isStart && day < dayOf(nowMs) && (await isDayEnded(log, day, since))) {
    await log.dropDay(day);
    return finished(startOfDay(day + 1) - 1, 1);
  }
  const organizations = await organizationsIn(log, segments);
  const ended = await since(new Set([...organizations.values()].flat()));
  let deleted = 0;
  let lookedAt = 0;
  for (const segment of segments) {
    if (lookedAt > 0 && dayOf(segment.from_at) !== day) break;
    const ids = endedBefore(segment.until_at, organizations.get(segment.from_at) ?? [], ended);
    if (ids.length > 0) deleted += await deleteFromSegment(log, segment, "organization_id", ids);
    lookedAt += 1;
    if (deleted >= sweptAtOnce) break;
  }
  return finished(segments[lookedAt - 1]?.from_at ?? null, lookedAt);
}

async function cutsIn(log: RequestLog): Promise<Cutoffs> {
  const rows = await log.rows<{ organization_id: string; cut_until: number }>(
    "select organization_id, cut_until from request_log_cuts",
  );
  return new Map(rows.map((row) => [row.organization_id, row.cut_until]));
}

/** Whether nobody keeps anything of a day. Not if the keys that tell are missing: a damaged index must lose no rows. */
async function isDayEnded(
  log: RequestLog,
  day: number,
  since: (organizationIds: ReadonlySet<string>) => Promise<Cutoffs>,
): Promise<boolean> {
  const open = await log.rows(
    `select 1 as one from ${logTable(day)}
     where at >= (select closed_until from request_log_state) limit 1`,
  );
  if (open.length > 0) return false;
  const [last] = await log.rows<{ untilMs: number }>(
    `select max(until_at) as "untilMs" from request_segments where from_at >= $1 and from_at < $2`,
    startOfDay(day),
    startOfDay(day + 1),
  );
  const keys = await log.rows<{ key: string }>(`select distinct key from ${keysTable(day)} where kind = 'o'`);
  const organizationIds = keys.map(({ key }) => key);
  if (organizationIds.length === 0) return false;
  const ended = endedBefore(last?.untilMs ?? 0, organizationIds, await since(new Set(organizationIds)));
  return ended.length === organizationIds.length;
}

/** By the start of the segment. Keys are sorted by key: those of all organizations of a day are read once. */
async function organizationsIn(
  log: RequestLog,
  segments: readonly RequestSegmentRow[],
): Promise<Map<number, readonly string[]>> {
  const organizations = new Map<number, readonly string[]>();
  for (const [day, segmentsOfDay] of Map.groupBy(segments, ({ from_at }) => dayOf(from_at))) {
    const rows = await log.rows<{ from_at: number; key: string }>(
      `select from_at, key from ${keysTable(day)} where kind = 'o' and from_at between $1 and $2`,
      segmentsOfDay[0]?.from_at ?? 0,
      segmentsOfDay.at(-1)?.from_at ?? 0,
    );
    for (const [from, keys] of Map.groupBy(rows, ({ from_at }) => from_at))
      organizations.set(
        from,
        keys.map(({ key }) => key),
      );
  }
  return organizations;
}

async function organizationDays(
  log: RequestLog,
  ids: ReadonlySet<string>,
): Promise<readonly OrganizationDaysRow[]> {
  if (ids.size === 0) return [];
  return log.mainRows<OrganizationDaysRow>(organizationDaysQuery(log.among("o.id", "$1")), [...ids]);
}
