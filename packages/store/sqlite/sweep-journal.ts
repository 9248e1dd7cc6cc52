import type { DatabaseSync } from "node:sqlite";
import { firstUuidAt } from "@countersign/domain/ids/uuid";
import { keptSince } from "@countersign/domain/requests/log-days";
import {
  cutoffs,
  type LogRetention,
  nextSweep,
  type OrganizationDaysRow,
  organizationDaysQuery,
  type RetentionRow,
  retentionFrom,
  retentionQuery,
  sweptAtOnce,
} from "../log-retention.ts";
import { openDatabase } from "./files.ts";

export function storedRetention(mainFile: string, environmentDays: number | null): LogRetention {
  return inMain(mainFile, (main) =>
    retentionFrom(main.prepare(retentionQuery).get() as unknown as RetentionRow, environmentDays),
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
    .prepare("select started_at as startedAt, position from request_log_sweep where id = 1")
    .get() as unknown as { startedAt: number; position: string | null };
  const sweep = nextSweep(stored, nowMs);
  if (sweep === null) return 0;
  const step = journal
    .prepare(
      `select max(id) as last, count(*) as count, json_group_array(distinct organization_id) as organizations
       from (select id, organization_id from request_log where id > ? and id < ? order by id limit ?)`,
    )
    .get(sweep.position, firstUuidAt(keptSince(retention.shortestDays, nowMs)), sweptAtOnce) as unknown as {
    last: string | null;
    count: number;
    organizations: string;
  };
  if (step.last !== null) {
    const days = inMain(mainFile, (main) =>
      main.prepare(organizationDaysQuery("o.id in (select value from json_each(?))")).all(step.organizations),
    ) as unknown as OrganizationDaysRow[];
    const ended = cutoffs(days, retention, nowMs).map(({ id, atMs }) => [id, atMs]);
    if (ended.length > 0)
      journal
        .prepare(
          `with ended (organization_id, until) as materialized (
             select json_extract(value, '$[0]'), json_extract(value, '$[1]') from json_each(?))
           delete from request_log where id > ? and id <= ? and exists (
             select 1 from ended
             where ended.organization_id = request_log.organization_id and request_log.at < ended.until)`,
        )
        .run(JSON.stringify(ended), sweep.position, step.last);
  }
  journal
    .prepare("update request_log_sweep set started_at = ?, position = ? where id = 1")
    .run(sweep.startedAt, step.last);
  return step.count;
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
