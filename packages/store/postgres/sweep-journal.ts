import { firstUuidAt } from "@countersign/domain/ids/uuid";
import { keptSince } from "@countersign/domain/requests/log-days";
import type pg from "pg";
import {
  cutoffs,
  type LogRetention,
  nextSweep,
  type OrganizationDaysRow,
  organizationDaysQuery,
  type RetentionRow,
  retentionFrom,
  retentionQuery,
  type Sweep,
  sweptAtOnce,
} from "../log-retention.ts";

export async function storedRetention(
  journal: pg.Client,
  environmentDays: number | null,
): Promise<LogRetention> {
  const { rows } = await journal.query<RetentionRow>(retentionQuery);
  return retentionFrom(rows[0] ?? { stored: null, shortest: null, longest: null }, environmentDays);
}

/** One step, as described in `Journal.sweep`, in a transaction that the caller has begun. */
export async function sweepSome(journal: pg.Client, retention: LogRetention, nowMs: number): Promise<number> {
  // The node that locks the row reads the next part.
  const { rows: stored } = await journal.query<Sweep>(
    `select started_at as "startedAt", position from request_log_sweep where id = 1 for update skip locked`,
  );
  const sweep = stored[0] === undefined ? null : nextSweep(stored[0], nowMs);
  if (sweep === null) return 0;
  const { rows: steps } = await journal.query<Step>(
    `select max(id) as last, count(*) as count, array_agg(distinct organization_id) as organizations
     from (select id, organization_id from request_log where id > $1 and id < $2 order by id limit $3) as step`,
    [sweep.position, firstUuidAt(keptSince(retention.shortestDays, nowMs)), sweptAtOnce],
  );
  const step = steps[0] ?? { last: null, count: 0, organizations: null };
  if (step.last !== null) {
    const { rows: days } = await journal.query<OrganizationDaysRow>(
      organizationDaysQuery("o.id = any ($1::text[])"),
      [step.organizations],
    );
    const ended = cutoffs(days, retention, nowMs);
    if (ended.length > 0)
      await journal.query(
        `delete from request_log r using unnest($1::text[], $2::bigint[]) as ended (organization_id, until)
         where r.id > $3 and r.id <= $4 and r.organization_id = ended.organization_id and r.at < ended.until`,
        [ended.map(({ id }) => id), ended.map(({ atMs }) => atMs), sweep.position, step.last],
      );
  }
  await journal.query("update request_log_sweep set started_at = $1, position = $2 where id = 1", [
    sweep.startedAt,
    step.last,
  ]);
  return Number(step.count);
}

interface Step {
  readonly last: string | null;
  readonly count: number;
  readonly organizations: string[] | null;
}
