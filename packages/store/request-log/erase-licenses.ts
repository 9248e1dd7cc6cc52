import { quotaDay } from "@countersign/domain/quota/day";
import type { JournalErasure } from "../journal.ts";
import type { RequestSegmentRow } from "../tables/journal.ts";
import { deleteFromSegment, nextSegmentWith, openDays } from "./delete-requests.ts";
import type { RequestLog } from "./request-log.ts";
import { dayOf, logTable } from "./tables.ts";

/** Each takes several statements, and the log waits for a step. */
const erasedLicensesAtOnce = 100;
const erasedSightingsAtOnce = 100;

/** One step, as described in `Journal.eraseLicenses`, in a transaction that the caller has begun. */
export function eraseSome(log: RequestLog, step: JournalErasure): Promise<JournalErasure | null> {
  return step.part === "requests" ? eraseRequests(log, step) : eraseCounts(log, step);
}

/** A license, and when it was the customer's. There can be several of one license. */
interface ErasedLicense {
  readonly license_id: string;
  readonly since_at: number;
  readonly until_at: number;
}

/** Segment by segment; those after the last segment at the end. */
async function eraseRequests(log: RequestLog, step: JournalErasure): Promise<JournalErasure> {
  const next = { ...step, part: "counts", after: "" } as const;
  const licenses = await log.mainRows<ErasedLicense>(
    "select license_id, since_at, until_at from erased_licenses where customer_id = $1",
    step.customerId,
  );
  if (licenses.length === 0) return next;
  const { segment, last } = await nextSegmentWith(log, step.organizationId, step.after);
  if (segment !== null) await eraseFromSegment(log, segment, licenses);
  if (last !== null) return { ...step, after: last };
  const { closedUntil, days } = await openDays(log);
  for (const { day } of days) {
    const ids = await idsAmong(log, logTable(day), licenses, [closedUntil, Number.MAX_SAFE_INTEGER]);
    if (ids.length > 0)
      await log.change(
        `delete from ${logTable(day)} where at >= $1 and ${log.among("id", "$2")}`,
        closedUntil,
        ids,
      );
  }
  return next;
}

async function eraseFromSegment(
  log: RequestLog,
  segment: RequestSegmentRow,
  licenses: readonly ErasedLicense[],
): Promise<void> {
  const { from_at: from, until_at: until } = segment;
  const ids = await idsAmong(log, logTable(dayOf(from)), licenses, [from, until]);
  if (ids.length > 0) await deleteFromSegment(log, segment, "id", ids);
}

/** The requests with these licenses, each while it was the customer's. */
async function idsAmong(
  log: RequestLog,
  table: string,
  licenses: readonly ErasedLicense[],
  [from, until]: readonly [number, number],
): Promise<string[]> {
  const tenures = Map.groupBy(licenses, (license) => license.license_id);
  const rows = await log.rows<{ id: string; at: number; license_id: string }>(
    `select id, at, license_id from ${table} where at >= $1 and at < $2 and ${log.among("license_id", "$3")}`,
    from,
    until,
    [...tenures.keys()],
  );
  const isTheirs = ({ at, license_id }: (typeof rows)[number]) =>
    tenures.get(license_id)?.some(({ since_at, until_at }) => at > since_at && at <= until_at);
  return rows.filter(isTheirs).map(({ id }) => id);
}

/** Some licenses: their IP addresses, also as counted for the organization and the platform, and their refusals. */
async function eraseCounts(log: RequestLog, step: JournalErasure): Promise<JournalErasure | null> {
  const [afterId = "", afterMs = "0"] = step.after.split(" ");
  const licenses = await log.mainRows<ErasedLicense>(
    `select license_id, since_at, until_at from erased_licenses
      where customer_id = $1 and license_id >= $2 and (license_id > $2 or until_at > $3)
      order by license_id, until_at limit $4`,
    step.customerId,
    afterId,
    Number(afterMs),
    erasedLicensesAtOnce,
  );
  let left = erasedSightingsAtOnce;
  for (const license of licenses) {
    left -= await eraseSightings(log, step.organizationId, license, left);
    if (left <= 0) return step;
    await log.change(
      "delete from license_refusals where license_id = $1 and last_at > $2 and last_at <= $3",
      license.license_id,
      license.since_at,
      license.until_at,
    );
  }
  const last = licenses.at(-1);
  if (last === undefined) return null;
  await eraseDays(log, step.organizationId, licenses);
  return { ...step, after: `${last.license_id} ${last.until_at}` };
}

/**
 * An IP address that other licenses use too stays known for these, and one that the license was used from since then for
 * this one. Returns how many of the license there were.
 */
async function eraseSightings(
  log: RequestLog,
  organizationId: string,
  { license_id: id, since_at: sinceMs, until_at: untilMs }: ErasedLicense,
  limit: number,
): Promise<number> {
  const rows = await log.rows<{ ip: string; hits: number }>(
    `select ip, hits from ip_sightings where tier = 'license' and scope_id = $1
      and last_seen_at > $2 and last_seen_at <= $3 order by ip limit $4`,
    id,
    sinceMs,
    untilMs,
    limit,
  );
  for (const { ip, hits } of rows) {
    await log.change("delete from ip_sightings where tier = 'license' and scope_id = $1 and ip = $2", id, ip);
    for (const [tier, scopeId] of [
      ["organization", organizationId],
      ["platform", ""],
    ] as const) {
      await log.change(
        `delete from ip_sightings where tier = $1 and scope_id = $2 and ip = $3 and license_count <= 1`,
        tier,
        scopeId,
        ip,
      );
      await log.change(
        `update ip_sightings set license_count = license_count - 1,
          hits = case when hits > $4 then hits - $4 else 0 end
         where tier = $1 and scope_id = $2 and ip = $3`,
        tier,
        scopeId,
        ip,
        hits,
      );
    }
  }
  return rows.length;
}

/** Days on which they were used from several places: by primary key, a day at a time. */
async function eraseDays(
  log: RequestLog,
  organizationId: string,
  licenses: readonly ErasedLicense[],
): Promise<void> {
  const edge = async (direction: "asc" | "desc") => {
    const [row] = await log.rows<{ day: number }>(
      `select day from license_days where organization_id = $1 order by day ${direction} limit 1`,
      organizationId,
    );
    return row?.day ?? null;
  };
  const [first, last] = [await edge("asc"), await edge("desc")];
  for (let day = first ?? 0; last !== null && day <= last; day++) {
    const wasTheirs = ({ since_at, until_at }: ErasedLicense) =>
      quotaDay(since_at) <= day && day <= quotaDay(until_at);
    const ids = licenses.filter(wasTheirs).map((row) => row.license_id);
    if (ids.length > 0)
      await log.change(
        `delete from license_days where organization_id = $1 and day = $2 and ${log.among("license_id", "$3")}`,
        organizationId,
        day,
        ids,
      );
  }
}
