import { networkOf } from "@countersign/domain/ip/registered";
import { sql } from "kysely";
import { logOf } from "../../request-log/tables.ts";
import type { Database } from "../../store.ts";
import { yieldToEventLoop } from "../../threads/yield-to-event-loop.ts";
import { ofDay, padded, type Span, type TimeRange } from "../requests/span.ts";
import { spans } from "../requests/spans.ts";

/** The valid requests of a license from one IP address with one version. */
export interface LicenseUse {
  readonly licenseId: string;
  readonly ip: string;
  readonly version: string | null;
  requests: number;
  firstAtMs: number;
  lastAtMs: number;
}

/** When reading stops although there is more. */
interface UseBounds {
  /** Any clock, in milliseconds. */
  readonly clock: () => number;
  readonly timeoutMs: number;
  /** How many uses are kept in memory. */
  readonly maxUses: number;
}

export const useBounds: UseBounds = {
  clock: () => performance.now(),
  timeoutMs: 10_000,
  maxUses: 200_000,
};

export interface PastUses {
  readonly uses: readonly LicenseUse[];
  /** Everything from this time on was read. */
  readonly sinceMs: number;
  readonly isComplete: boolean;
}

/**
 * How a product's licenses were used, from the newest valid validation on. The database adds up each part of the log, so
 * that single rows are not transferred.
 */
export async function pastUses(
  db: Database,
  product: { readonly organizationId: string; readonly productId: string },
  range: TimeRange,
  bounds: UseBounds = useBounds,
): Promise<PastUses> {
  const uses = new Map<string, LicenseUse>();
  const deadlineMs = bounds.clock() + bounds.timeoutMs;
  const key = { kind: "o", keys: [product.organizationId] } as const;
  for await (const span of spans(db, key, range, "newest")) {
    for (const row of await usesIn(db, span, product.productId)) add(uses, row);
    const isOver = uses.size >= bounds.maxUses || bounds.clock() >= deadlineMs;
    if (isOver && span.fromMs > range.fromMs)
      return { uses: [...uses.values()], sinceMs: span.fromMs, isComplete: false };
    // On SQLite, each query blocks its thread.
    await yieldToEventLoop();
  }
  return { uses: [...uses.values()], sinceMs: range.fromMs, isComplete: true };
}

interface UseRow {
  license_id: string;
  ip: string;
  version: string | null;
  requests: number;
  first_at: number;
  last_at: number;
}

const timesTogether = 512;

async function usesIn(db: Database, span: Span, productId: string): Promise<UseRow[]> {
  const { day, fromMs, untilMs, times } = span;
  const uses = db
    .selectFrom(logOf(day))
    .select((is) => [
      "license_id",
      "ip",
      "version",
      sql<number>`cast(sum(count) as bigint)`.as("requests"),
      is.fn.min<number>("at").as("first_at"),
      is.fn.max<number>("at").as("last_at"),
    ])
    .where("product_id", "=", productId)
    .where("endpoint", "=", "validate")
    .where("status", "=", "active")
    .where("sandbox", "=", 0)
    .where("license_id", "is not", null)
    .groupBy(["license_id", "ip", "version"])
    .$castTo<UseRow>();
  if (times === null) return ofDay(uses.where("at", ">=", fromMs).where("at", "<", untilMs).execute());
  const rows: UseRow[] = [];
  for (let start = 0; start < times.length; start += timesTogether) {
    const batch = times.slice(start, start + timesTogether);
    rows.push(...(await ofDay(uses.where("at", "in", padded(batch)).execute())));
  }
  return rows;
}

function add(uses: Map<string, LicenseUse>, row: UseRow): void {
  const key = JSON.stringify([row.license_id, row.ip, row.version]);
  const requests = Number(row.requests);
  const known = uses.get(key);
  if (known === undefined) {
    const { license_id: licenseId, ip, version, first_at: firstAtMs, last_at: lastAtMs } = row;
    uses.set(key, { licenseId, ip, version, requests, firstAtMs, lastAtMs });
    return;
  }
  known.requests += requests;
  known.firstAtMs = Math.min(known.firstAtMs, row.first_at);
  known.lastAtMs = Math.max(known.lastAtMs, row.last_at);
}

/** How many licenses, or IP addresses of licenses, are looked up together. */
export const shadowedTogether = 400;

/** The licenses among these that still exist. */
export async function shadowedLicenses(db: Database, ids: readonly string[]) {
  return db
    .selectFrom("licenses")
    .select(["id", "license_key", "customer_id", "ip_system_enabled", "max_ips", "expires_at"])
    .select(["version_pin_mode", "version_pinned", "version_range_min", "version_range_max"])
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
  const ipsAndNetworks = used.flatMap(({ licenseId, ip }) => {
    const network = networkOf(ip);
    return [{ licenseId, ip, by: ip }, ...(network === null ? [] : [{ licenseId, ip, by: network }])];
  });
  const networks = used.filter(({ ip }) => ip.endsWith("/64")).map((one) => ({ ...one, by: one.ip }));
  for (const row of await registrationsBy(db, "ip", ipsAndNetworks)) note(row);
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
  usedIps: readonly (UsedIp & { readonly by: string })[],
): Promise<RegistrationRow[]> {
  if (usedIps.length === 0) return [];
  // A list of values is joined, because PostgreSQL compares every row with each of many alternatives.
  const values = usedIps.map(
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
