import type pg from "pg";
import { type JournalDeletion, licensesAtOnce, refusalsAtOnce, sightingsAtOnce } from "../journal.ts";
import { segmentsAtOnce } from "../log-retention.ts";
import { deleteStatement, keptRollUps, rollUpsAtOnce } from "../rollups/retention.ts";
import { deleteFromSegment, segmentsAfter } from "./delete-requests.ts";

/** One step, as described in `Journal.deleteOrganization`. */
export async function deleteSome(journal: pg.Client, step: JournalDeletion): Promise<JournalDeletion | null> {
  switch (step.part) {
    case "sightings":
      return deleteSightings(journal, step);
    case "requests":
      return deleteRequests(journal, step);
    case "rollups":
      return deleteRollUps(journal, step);
    case "refusals":
      return deleteRefusals(journal, step);
    case "licenses":
      return deleteLicenseSightings(journal, step);
  }
}

async function deleteSightings(journal: pg.Client, step: JournalDeletion): Promise<JournalDeletion> {
  const { rowCount } = await journal.query(
    `delete from ip_sightings where tier = 'organization' and scope_id = $1 and ip in
      (select ip from ip_sightings where tier = 'organization' and scope_id = $1 limit $2)`,
    [step.organizationId, sightingsAtOnce],
  );
  return (rowCount ?? 0) > 0 ? step : { ...step, part: "requests", after: "" };
}

/** The keys of a segment tell whether it has requests of the organization. Those after the last segment are read. */
async function deleteRequests(journal: pg.Client, step: JournalDeletion): Promise<JournalDeletion> {
  const segments = await segmentsAfter(journal, step.after === "" ? -1 : Number(step.after), segmentsAtOnce);
  const { rows } = await journal.query<{ from_at: number }>(
    "select from_at from request_keys where from_at = any ($1::bigint[]) and kind = 'o' and key = $2",
    [segments.map(({ from_at }) => from_at), step.organizationId],
  );
  const having = new Set(rows.map(({ from_at }) => from_at));
  const segment = segments.find(({ from_at }) => having.has(from_at));
  if (segment !== undefined) await deleteFromSegment(journal, segment, [step.organizationId]);
  const last = segment ?? segments.at(-1);
  if (last !== undefined) return { ...step, after: String(last.from_at) };
  await journal.query(
    `delete from request_log where at >= (select closed_until from request_log_state) and organization_id = $1`,
    [step.organizationId],
  );
  await journal.query("delete from request_log_cuts where organization_id = $1", [step.organizationId]);
  return { ...step, part: "rollups", after: "" };
}

async function deleteRollUps(journal: pg.Client, step: JournalDeletion): Promise<JournalDeletion> {
  for (const table of keptRollUps(0, 0)) {
    const { rowCount } = await journal.query(deleteStatement(table, "$1", "$2"), [
      step.organizationId,
      rollUpsAtOnce,
    ]);
    if ((rowCount ?? 0) > 0) return step;
  }
  return { ...step, part: "refusals", after: "" };
}

/** Sorted by license: a step ends with all refusals of its last license. */
async function deleteRefusals(journal: pg.Client, step: JournalDeletion): Promise<JournalDeletion> {
  const { rows } = await journal.query<{ id: string | null }>(
    `select max(license_id) as id from
      (select license_id from license_refusals where license_id > $1 order by license_id limit $2) as step`,
    [step.after, refusalsAtOnce],
  );
  const end = rows[0]?.id ?? null;
  if (end === null) return { ...step, part: "licenses", after: "" };
  await journal.query(
    "delete from license_refusals where license_id > $1 and license_id <= $2 and organization_id = $3",
    [step.after, end, step.organizationId],
  );
  return { ...step, after: end };
}

async function deleteLicenseSightings(
  journal: pg.Client,
  step: JournalDeletion,
): Promise<JournalDeletion | null> {
  const { rows } = await journal.query<{ scope_id: string; is_known: boolean }>(
    `select scope_id, exists (select 1 from licenses where id = scope_id) as is_known
     from (select distinct scope_id from ip_sightings where tier = 'license' and scope_id > $1
       order by scope_id limit $2) as step
     order by scope_id`,
    [step.after, licensesAtOnce],
  );
  const last = rows.at(-1);
  if (last === undefined) return null;
  const missing = rows.filter((row) => !row.is_known).map((row) => row.scope_id);
  const { rowCount } = await journal.query(
    `delete from ip_sightings where (tier, scope_id, ip) in
      (select tier, scope_id, ip from ip_sightings where tier = 'license' and scope_id = any ($1) limit $2)`,
    [missing, sightingsAtOnce],
  );
  return rowCount === sightingsAtOnce ? step : { ...step, after: last.scope_id };
}
