import { networkOf } from "@countersign/domain/ip/registered";
import { sql } from "kysely";
import type { Database } from "../../store.ts";

/** How many licenses, or IP addresses of licenses, are looked up together. */
export const shadowedTogether = 400;

/** The licenses among these that still exist. */
export async function shadowedLicenses(db: Database, ids: readonly string[]) {
  return db
    .selectFrom("licenses")
    .select(["id", "license_key", "customer_id", "ip_system_enabled", "max_ips"])
    .where("id", "in", ids)
    .execute();
}

/** How many of their IP addresses were registered before a time. */
export async function slotsBefore(
  db: Database,
  licenseIds: readonly string[],
  sinceMs: number,
): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom("license_ips")
    .select((is) => ["license_id", is.fn.countAll<number>().as("count")])
    .where("license_id", "in", licenseIds)
    .where("registered_at", "<", sinceMs)
    .groupBy("license_id")
    .execute();
  return new Map(rows.map(({ license_id, count }) => [license_id, Number(count)]));
}

export interface UsedIp {
  readonly licenseId: string;
  readonly ip: string;
}

/**
 * When these IP addresses were registered to their licenses, of those that are: by their own registration, their /64's,
 * or that of an address in this /64.
 */
export async function registrationTimes(
  db: Database,
  used: readonly UsedIp[],
): Promise<Map<string, Map<string, number>>> {
  const times = new Map<string, Map<string, number>>();
  const note = ({ license_id, asked_ip, registered_at }: RegistrationRow) => {
    const ofLicense = times.get(license_id) ?? new Map<string, number>();
    times.set(license_id, ofLicense);
    const atMs = Math.min(ofLicense.get(asked_ip) ?? Number.POSITIVE_INFINITY, registered_at);
    ofLicense.set(asked_ip, atMs);
  };
  const own = used.flatMap(({ licenseId, ip }) => {
    const network = networkOf(ip);
    return [{ licenseId, ip, by: ip }, ...(network === null ? [] : [{ licenseId, ip, by: network }])];
  });
  const networks = used.filter(({ ip }) => ip.endsWith("/64")).map((one) => ({ ...one, by: one.ip }));
  for (const row of await registrationsBy(db, "ip", own)) note(row);
  for (const row of await registrationsBy(db, "network", networks)) note(row);
  return times;
}

interface RegistrationRow {
  license_id: string;
  asked_ip: string;
  registered_at: number;
}

async function registrationsBy(
  db: Database,
  column: "ip" | "network",
  asked: readonly (UsedIp & { readonly by: string })[],
): Promise<RegistrationRow[]> {
  if (asked.length === 0) return [];
  // A list of values is joined, because PostgreSQL compares every row with each of many alternatives.
  const values = asked.map(
    ({ licenseId, ip, by }) => sql`(cast(${licenseId} as text), cast(${ip} as text), cast(${by} as text))`,
  );
  const { rows } = await sql<RegistrationRow>`
    select r.license_id, asked.column2 as asked_ip, r.registered_at
    from (values ${sql.join(values)}) as asked
    join license_ips as r on r.license_id = asked.column1 and ${sql.ref(`r.${column}`)} = asked.column3`.execute(
    db,
  );
  return rows;
}
