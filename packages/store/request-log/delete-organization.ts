import { type JournalDeletion, licensesAtOnce, refusalsAtOnce, sightingsAtOnce } from "../journal.ts";
import { deleteStatement, keptRollUps, rollUpsAtOnce } from "../rollups/retention.ts";
import { deleteFromSegment, nextSegmentWith, openDays } from "./delete-requests.ts";
import type { RequestLog } from "./request-log.ts";
import { logTable } from "./tables.ts";

/** One step, as described in `Journal.deleteOrganization`, in a transaction that the caller has begun. */
export function deleteSome(log: RequestLog, step: JournalDeletion): Promise<JournalDeletion | null> {
  switch (step.part) {
    case "sightings":
      return deleteSightings(log, step);
    case "requests":
      return deleteRequests(log, step);
    case "rollups":
      return deleteRollUps(log, step);
    case "refusals":
      return deleteRefusals(log, step);
    case "licenses":
      return deleteLicenseSightings(log, step);
  }
}

async function deleteSightings(log: RequestLog, step: JournalDeletion): Promise<JournalDeletion> {
  const deleted = await log.change(
    `delete from ip_sightings where tier = 'organization' and scope_id = $1 and ip in
      (select ip from ip_sightings where tier = 'organization' and scope_id = $1 limit $2)`,
    step.organizationId,
    sightingsAtOnce,
  );
  return deleted > 0 ? step : { ...step, part: "requests", after: "" };
}

/** The keys of a segment tell whether it has requests of the organization. Those after the last segment are read. */
async function deleteRequests(log: RequestLog, step: JournalDeletion): Promise<JournalDeletion> {
  const { segment, last } = await nextSegmentWith(log, step.organizationId, step.after);
  if (segment !== null) await deleteFromSegment(log, segment, "organization_id", [step.organizationId]);
  if (last !== null) return { ...step, after: last };
  await deleteFromTail(log, step.organizationId);
  await log.change("delete from request_log_cuts where organization_id = $1", step.organizationId);
  return { ...step, part: "rollups", after: "" };
}

async function deleteFromTail(log: RequestLog, organizationId: string): Promise<void> {
  const { closedUntil, days } = await openDays(log);
  for (const { day } of days)
    await log.change(
      `delete from ${logTable(day)} where at >= $1 and organization_id = $2`,
      closedUntil,
      organizationId,
    );
}

async function deleteRollUps(log: RequestLog, step: JournalDeletion): Promise<JournalDeletion> {
  for (const table of keptRollUps(0, 0)) {
    const deleted = await log.change(deleteStatement(table), step.organizationId, rollUpsAtOnce);
    if (deleted > 0) return step;
  }
  return { ...step, part: "refusals", after: "" };
}

/** Sorted by license: a step ends with all refusals of its last license. */
async function deleteRefusals(log: RequestLog, step: JournalDeletion): Promise<JournalDeletion> {
  const rows = await log.rows<{ id: string | null }>(
    `select max(license_id) as id from
      (select license_id from license_refusals where license_id > $1 order by license_id limit $2) as step`,
    step.after,
    refusalsAtOnce,
  );
  const end = rows[0]?.id ?? null;
  if (end === null) return { ...step, part: "licenses", after: "" };
  await log.change(
    "delete from license_refusals where license_id > $1 and license_id <= $2 and organization_id = $3",
    step.after,
    end,
    step.organizationId,
  );
  return { ...step, after: end };
}

async function deleteLicenseSightings(
  log: RequestLog,
  step: JournalDeletion,
): Promise<JournalDeletion | null> {
  const rows = await log.rows<{ scope_id: string }>(
    `select distinct scope_id from ip_sightings where tier = 'license' and scope_id > $1
      order by scope_id limit $2`,
    step.after,
    licensesAtOnce,
  );
  const ids = rows.map((row) => row.scope_id);
  const last = ids.at(-1);
  if (last === undefined) return null;
  const licenses = await log.mainRows<{ id: string }>(
    `select id from licenses where ${log.among("id", "$1")}`,
    ids,
  );
  const existing = new Set(licenses.map(({ id }) => id));
  const deleted = await log.change(
    `delete from ip_sightings where (tier, scope_id, ip) in
      (select tier, scope_id, ip from ip_sightings where tier = 'license' and ${log.among("scope_id", "$1")}
       limit $2)`,
    ids.filter((id) => !existing.has(id)),
    sightingsAtOnce,
  );
  return deleted === sightingsAtOnce ? step : { ...step, after: last };
}
