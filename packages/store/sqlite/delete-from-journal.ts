import type { DatabaseSync } from "node:sqlite";
import { type JournalDeletion, licensesAtOnce, refusalsAtOnce, sightingsAtOnce } from "../journal.ts";
import { segmentsAtOnce } from "../log-retention.ts";
import { dayOf, keysTable, logTable } from "../request-log/tables.ts";
import { deleteStatement, keptRollUps, rollUpsAtOnce } from "../rollups/retention.ts";
import { deleteFromSegment, segmentsAfter } from "./delete-requests.ts";
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
    case "rollups":
      return deleteRollUps(journal, step);
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

/** The keys of a segment tell whether it has requests of the organization. Those after the last segment are read. */
function deleteRequests(journal: DatabaseSync, step: JournalDeletion): JournalDeletion {
  const segments = segmentsAfter(journal, step.after === "" ? -1 : Number(step.after), segmentsAtOnce);
  for (const segment of segments) {
    const after = String(segment.from_at);
    const has = journal
      .prepare(
        `select 1 from ${keysTable(dayOf(segment.from_at))} where from_at = ? and kind = 'o' and key = ?`,
      )
      .get(segment.from_at, step.organizationId);
    if (has === undefined) continue;
    deleteFromSegment(journal, segment, [step.organizationId]);
    return { ...step, after };
  }
  const last = segments.at(-1);
  if (last !== undefined) return { ...step, after: String(last.from_at) };
  deleteFromTail(journal, step.organizationId);
  journal.prepare("delete from request_log_cuts where organization_id = ?").run(step.organizationId);
  return { ...step, part: "rollups", after: "" };
}

function deleteFromTail(journal: DatabaseSync, organizationId: string): void {
  const closedUntil = Number(
    journal.prepare("select closed_until from request_log_state").get()?.closed_until,
  );
  const days = journal.prepare("select day from request_days where day >= ?").all(dayOf(closedUntil));
  for (const { day } of days)
    journal
      .prepare(`delete from ${logTable(Number(day))} where at >= ? and organization_id = ?`)
      .run(closedUntil, organizationId);
}

function deleteRollUps(journal: DatabaseSync, step: JournalDeletion): JournalDeletion {
  for (const table of keptRollUps(0, 0)) {
    const { changes } = journal
      .prepare(deleteStatement(table, "?1", "?2"))
      .run(step.organizationId, rollUpsAtOnce);
    if (changes > 0) return step;
  }
  return { ...step, part: "refusals", after: "" };
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
