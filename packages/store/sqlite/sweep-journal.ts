import type { DatabaseSync } from "node:sqlite";
import { keptSince } from "@countersign/domain/requests/log-days";
import {
  cutoffs,
  endedIn,
  type LogRetention,
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
import { dayOf, keysTable } from "../request-log/tables.ts";
import type { RequestSegmentRow } from "../tables.ts";
import { deleteFromSegment, segmentsAfter } from "./delete-requests.ts";
import { openDatabase } from "./files.ts";

export function storedRetention(mainFile: string, environment: RetentionSettings): LogRetention {
  return inMain(mainFile, (main) =>
    retentionFrom(main.prepare(retentionQuery).get() as unknown as RetentionRow, environment),
  );
}

/** One step, as described in `Journal.sweep`. */
export function sweepSome(
  journal: DatabaseSync,
  mainFile: string,
  retention: LogRetention,
  nowMs: number,
): number {
  const stored = journal
    .prepare("select sweep_started_at as startedAt, sweep_position as position from request_log_state")
    .get() as unknown as Sweep;
  const sweep = nextSweep(stored, nowMs);
  if (sweep === null) return 0;
  const endedMs = keptSince(retention.shortestDays, nowMs);
  const segments = segmentsAfter(journal, sweep.position, segmentsAtOnce).filter(
    ({ until_at }) => until_at <= endedMs,
  );
  const organizations = organizationsIn(journal, segments);
  const ended = cutoffs(
    organizationDays(mainFile, new Set([...organizations.values()].flat())),
    retention,
    nowMs,
  );
  let deleted = 0;
  let lookedAt = 0;
  for (const segment of segments) {
    const ids = endedIn(segment, organizations.get(segment.from_at) ?? [], ended);
    if (ids.length > 0) deleted += deleteFromSegment(journal, segment, ids);
    lookedAt += 1;
    if (deleted >= sweptAtOnce) break;
  }
  journal
    .prepare("update request_log_state set sweep_started_at = ?, sweep_position = ? where id = 1")
    .run(sweep.startedAt, segments[lookedAt - 1]?.from_at ?? null);
  return lookedAt;
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
