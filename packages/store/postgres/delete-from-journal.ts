import type pg from "pg";
import {
  type JournalDeletion,
  licensesAtOnce,
  refusalsAtOnce,
  requestsAtOnce,
  sightingsAtOnce,
} from "../journal.ts";

/** One step, as described in `Journal.deleteOrganization`. */
export async function deleteSome(journal: pg.Client, step: JournalDeletion): Promise<JournalDeletion | null> {
  switch (step.part) {
    case "sightings":
      return deleteSightings(journal, step);
    case "requests":
      return deleteRequests(journal, step);
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

/** The log is sorted by time, and every organization's requests are spread all over it. */
async function deleteRequests(journal: pg.Client, step: JournalDeletion): Promise<JournalDeletion> {
  const { rows } = await journal.query<{ id: string | null }>(
    "select max(id) as id from (select id from request_log where id > $1 order by id limit $2) as step",
    [step.after, requestsAtOnce],
  );
  const end = rows[0]?.id ?? null;
  if (end === null) return { ...step, part: "refusals", after: "" };
  await journal.query("delete from request_log where id > $1 and id <= $2 and organization_id = $3", [
    step.after,
    end,
    step.organizationId,
  ]);
  return { ...step, after: end };
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
