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
  const found = db
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
  if (times === null) return ofDay(found.where("at", ">=", fromMs).where("at", "<", untilMs).execute());
  const rows: UseRow[] = [];
  for (let start = 0; start < times.length; start += timesTogether) {
    const batch = times.slice(start, start + timesTogether);
    rows.push(...(await ofDay(found.where("at", "in", padded(batch)).execute())));
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
