import type { DatabaseSync } from "node:sqlite";
import {
  type JournalDeletion,
  licensesAtOnce,
  refusalsAtOnce,
  requestsAtOnce,
  sightingsAtOnce,
} from "../journal.ts";
import { openDatabase } from "./files.ts";

/** One step, as described in `Journal.deleteOrganization`. Licenses are looked up in the main file. */
export function deleteSome(
  journal: DatabaseSync,
  mainFile: string,
  step: JournalDeletion,
): JournalDeletion | null {
  switch (step.part) {
    case "sightings":
      return deleteSightings(journal, step);
    case "requests":
      return deleteRequests(journal, step);
    case "refusals":
      return deleteRefusals(journal, step);
    case "licenses":
      return deleteLicenseSightings(journal, mainFile, step);
  }
}

function deleteSightings(journal: DatabaseSync, step: JournalDeletion): JournalDeletion {
  const { changes } = journal
    .prepare(
      `delete from ip_sightings where tier = 'organization' and scope_id = ?1 and ip in
        (select ip from ip_sightings where tier = 'organization' and scope_id = ?1 limit ?2)`,
    )
    .run(step.organizationId, sightingsAtOnce);
  return changes > 0 ? step : { ...step, part: "requests", after: "" };
}

/** The log is sorted by time, and every organization's requests are spread all over it. */
function deleteRequests(journal: DatabaseSync, step: JournalDeletion): JournalDeletion {
  const end = journal
    .prepare("select max(id) as id from (select id from request_log where id > ? order by id limit ?)")
    .get(step.after, requestsAtOnce)?.id;
  if (typeof end !== "string") return { ...step, part: "refusals", after: "" };
  journal
    .prepare("delete from request_log where id > ? and id <= ? and organization_id = ?")
    .run(step.after, end, step.organizationId);
  return { ...step, after: end };
}

/** Sorted by license: a step ends with all refusals of its last license. */
function deleteRefusals(journal: DatabaseSync, step: JournalDeletion): JournalDeletion {
  const end = journal
    .prepare(
      `select max(license_id) as id from
        (select license_id from license_refusals where license_id > ? order by license_id limit ?)`,
    )
    .get(step.after, refusalsAtOnce)?.id;
  if (typeof end !== "string") return { ...step, part: "licenses", after: "" };
  journal
    .prepare("delete from license_refusals where license_id > ? and license_id <= ? and organization_id = ?")
    .run(step.after, end, step.organizationId);
  return { ...step, after: end };
}

function deleteLicenseSightings(
  journal: DatabaseSync,
  mainFile: string,
  step: JournalDeletion,
): JournalDeletion | null {
  const ids = journal
    .prepare(
      `select distinct scope_id from ip_sightings where tier = 'license' and scope_id > ?
        order by scope_id limit ?`,
    )
    .all(step.after, licensesAtOnce)
    .map((row) => String(row.scope_id));
  const last = ids.at(-1);
  if (last === undefined) return null;
  const { changes } = journal
    .prepare(
      `delete from ip_sightings where (tier, scope_id, ip) in
        (select tier, scope_id, ip from ip_sightings
         where tier = 'license' and scope_id in (select value from json_each(?)) limit ?)`,
    )
    .run(JSON.stringify(missing(mainFile, ids)), sightingsAtOnce);
  return changes === sightingsAtOnce ? step : { ...step, after: last };
}

/** On a separate connection: a journal transaction must never lock the main file. */
function missing(mainFile: string, ids: readonly string[]): string[] {
  const main = openDatabase(mainFile);
  try {
    main.exec("pragma query_only = on");
    const rows = main
      .prepare("select id from licenses where id in (select value from json_each(?))")
      .all(JSON.stringify(ids));
    const known = new Set(rows.map((row) => row.id));
    return ids.filter((id) => !known.has(id));
  } finally {
    main.close();
  }
}
