import type { DatabaseSync } from "node:sqlite";
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
import { dayOf, keysTable, logTable, startOfDay } from "../request-log/tables.ts";
import type { RequestSegmentRow } from "../tables/journal.ts";
import { deleteFromSegment, segmentsAfter } from "./delete-requests.ts";
import { openDatabase } from "./files.ts";
import type { SqliteRequestLog } from "./request-log.ts";

export function storedRetention(mainFile: string, environment: RetentionSettings): LogRetention {
  return inMain(mainFile, (main) =>
    retentionFrom(main.prepare(retentionQuery).get() as unknown as RetentionRow, environment),
  );
}

/** One step, as described in `Journal.sweep`. */
export function sweepSome(
  journal: DatabaseSync,
  mainFile: string,
  log: SqliteRequestLog,
  retention: LogRetention,
  nowMs: number,
): number {
  const stored = journal
    .prepare("select sweep_started_at as startedAt, sweep_position as position from request_log_state")
    .get() as unknown as Sweep;
  const sweep = nextSweep(stored, nowMs);
  if (sweep === null) return 0;
  const cuts = cutsIn(journal);
  const endedMs = lastCutoff(cuts, retention, nowMs);
  const segments = segmentsAfter(journal, sweep.position, segmentsAtOnce).filter(
    ({ until_at }) => until_at <= endedMs,
  );
  const since = (organizations: ReadonlySet<string>) =>
    cutoffs(organizationDays(mainFile, organizations), cuts, retention, nowMs);
  const finished = (position: number | null, lookedAt: number) => {
    journal
      .prepare("update request_log_state set sweep_started_at = ?, sweep_position = ? where id = 1")
      .run(sweep.startedAt, position);
    return lookedAt;
  };
  const day = dayOf(segments[0]?.from_at ?? 0);
  const isStart = segments.length > 0 && sweep.position < startOfDay(day);
  if (isStart && day < dayOf(nowMs) && isDayEnded(journal, day, since)) {
    log.dropDay(day);
    return finished(startOfDay(day + 1) - 1, 1);
  }
  const organizations = organizationsIn(journal, segments);
  const ended = since(new Set([...organizations.values()].flat()));
  let deleted = 0;
  let lookedAt = 0;
  for (const segment of segments) {
    if (lookedAt > 0 && dayOf(segment.from_at) !== day) break;
    const ids = endedBefore(segment.until_at, organizations.get(segment.from_at) ?? [], ended);
    if (ids.length > 0) deleted += deleteFromSegment(journal, segment, ids);
    lookedAt += 1;
    if (deleted >= sweptAtOnce) break;
  }
  return finished(segments[lookedAt - 1]?.from_at ?? null, lookedAt);
}

function cutsIn(journal: DatabaseSync): Cutoffs {
  const rows = journal.prepare("select organization_id, cut_until from request_log_cuts").all();
  return new Map(rows.map((row) => [String(row.organization_id), Number(row.cut_until)]));
}

/** Whether nobody keeps anything of a day. */
function isDayEnded(
  journal: DatabaseSync,
  day: number,
  since: (organizations: ReadonlySet<string>) => Cutoffs,
): boolean {
  const open = journal
    .prepare(
      `select 1 from ${logTable(day)} where at >= (select closed_until from request_log_state) limit 1`,
    )
    .get();
  if (open !== undefined) return false;
  const last = journal
    .prepare("select max(until_at) as untilMs from request_segments where from_at >= ? and from_at < ?")
    .get(startOfDay(day), startOfDay(day + 1));
  const organizations = journal
    .prepare(`select distinct key from ${keysTable(day)} where kind = 'o'`)
    .all()
    .map(({ key }) => String(key));
  const ended = endedBefore(Number(last?.untilMs), organizations, since(new Set(organizations)));
  return ended.length === organizations.length;
}

/** By the start of the segment. Keys are sorted by key: those of all organizations of a day are read once. */
function organizationsIn(
  journal: DatabaseSync,
  segments: readonly RequestSegmentRow[],
): Map<number, readonly string[]> {
  const found: { from_at: number; key: string }[] = [];
  for (const [day, own] of Map.groupBy(segments, ({ from_at }) => dayOf(from_at)))
    found.push(
      ...(journal
        .prepare(`select from_at, key from ${keysTable(day)} where kind = 'o' and from_at between ? and ?`)
        .all(own[0]?.from_at ?? 0, own.at(-1)?.from_at ?? 0) as typeof found),
    );
  return new Map(
    [...Map.groupBy(found, ({ from_at }) => from_at)].map(([from, keys]) => [
      from,
      keys.map(({ key }) => key),
    ]),
  );
}

function organizationDays(mainFile: string, ids: ReadonlySet<string>): OrganizationDaysRow[] {
  if (ids.size === 0) return [];
  return inMain(mainFile, (main) =>
    main
      .prepare(organizationDaysQuery("o.id in (select value from json_each(?))"))
      .all(JSON.stringify([...ids])),
  ) as unknown as OrganizationDaysRow[];
}

/** On a separate connection: a journal transaction must never lock the main file. */
function inMain<T>(mainFile: string, work: (main: DatabaseSync) => T): T {
  const main = openDatabase(mainFile);
  try {
    main.exec("pragma query_only = on");
    return work(main);
  } finally {
    main.close();
  }
}
