import * as contract from "@countersign/contract/manage/usage";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { dayMs } from "@countersign/domain/dates/lengths";
import { quotaDay, runsOutAt, usageDays } from "@countersign/domain/quota/day";
import { logDays } from "@countersign/domain/requests/log-days";
import { productsOf } from "@countersign/store/queries/products/products";
import { organizationUsage, usageByDay, usageSince } from "@countersign/store/queries/usage/daily";
import { estimatedRows } from "@countersign/store/queries/usage/row-counts";
import type { Store } from "@countersign/store/store";
import { type BoundRoute, bind } from "../../api/context.ts";
import { decodeCursor, pageOf } from "../../api/page.ts";
import { limitsInUse, planOf } from "../plans/limits.ts";
import { platformSettings } from "../settings/platform-settings.ts";

const listedDays = 14;

export const usageRoutes: readonly BoundRoute[] = [
  bind(contract.listProductUsage, async (context, { query }) => {
    const { nowMs } = context;
    const db = context.store.reads;
    const { organization } = context;
    const after = decodeCursor(query.cursor, ["number", "text"]);
    const rows = await productsOf(db, organization.id, {
      after: after === null ? null : { createdAt: Number(after[0]), id: String(after[1]) },
      limit: query.limit + 1,
      status: null,
    });
    const today = quotaDay(nowMs);
    const firstDay = today - listedDays + 1;
    const usage = await usageSince(
      db,
      rows.map(({ id }) => id),
      firstDay,
    );
    const used = new Map(usage.map((row) => [`${row.product_id} ${row.day}`, row.used]));
    const limit = organization.daily_limit_override ?? (await planOf(db, organization)).daily_limit;
    return pageOf(
      rows,
      query.limit,
      (row) => [row.created_at, row.id],
      ({ id, name, status }) => {
        const usedToday = used.get(`${id} ${today}`) ?? 0;
        return {
          product_id: id,
          name,
          status,
          days: Array.from({ length: listedDays }, (_, at) => used.get(`${id} ${firstDay + at}`) ?? 0),
          used_today: usedToday,
          daily_limit: limit,
          resets_at: isoTime((today + 1) * dayMs),
          runs_out_at: isoTime(runsOutAt(limit, usedToday, nowMs)),
        };
      },
    );
  }),

  bind(contract.getUsageHistory, async (context, { query }) => {
    const firstDay = quotaDay(context.nowMs) - query.days + 1;
    const db = context.store.listReads;
    return history(firstDay, query.days, await organizationUsage(db, context.organization.id, firstDay));
  }),

  bind(contract.getProductUsageHistory, async (context, { query }) => {
    const firstDay = quotaDay(context.nowMs) - query.days + 1;
    const rows = await usageByDay(context.store.listReads, [context.product.id], firstDay);
    return history(firstDay, query.days, new Map(rows.map(({ day, used }) => [day, used])));
  }),

  bind(contract.getUsageTotals, async (context) => {
    const { store, nowMs, organization } = context;
    const limits = await limitsInUse(store.reads, organization);
    const plan = await planOf(store.reads, organization);
    const { request_log_days: ofServer } = await platformSettings(store.reads, context.config);
    const known = {
      licenses: limits.find(({ name }) => name === "licenses")?.used ?? 0,
      logDays: logDays({
        ofOrganization: organization.request_log_days_override,
        ofPlan: plan.request_log_days,
        ofServer,
      }),
    };
    return { limits, storage_bytes: await estimatedStorage(store, organization.id, known, nowMs) };
  }),
];

function history(firstDay: number, days: number, used: ReadonlyMap<number, number>) {
  return {
    from: isoTime(firstDay * dayMs),
    days: Array.from({ length: days }, (_, at) => used.get(firstDay + at) ?? 0),
  };
}

/** What an organization has most of. */
interface StoredRows {
  readonly licenses: number;
  readonly requests: number;
  readonly events: number;
  readonly auditEntries: number;
}

/**
 * Bytes per row with its indexes, measured on databases with 4,000 rows of each kind. A license includes its customer,
 * a tag, a registered IP address and the search index. docs/decisions/analytics.md#d67 has the details.
 */
const bytesPerRow: Readonly<Record<Store["kind"], StoredRows>> = {
  sqlite: { licenses: 2_400, requests: 260, events: 1_600, auditEntries: 1_050 },
  postgres: { licenses: 5_100, requests: 340, events: 2_400, auditEntries: 1_150 },
};

/**
 * An estimate of how much an organization stores. Nothing is counted that would take long: requests are taken from
 * their daily counts, because the log has no index by organization.
 */
async function estimatedStorage(
  store: Store,
  organizationId: string,
  known: { readonly licenses: number; readonly logDays: number },
  nowMs: number,
): Promise<number> {
  const db = store.listReads;
  const firstDay = quotaDay(nowMs) - Math.min(known.logDays, usageDays) + 1;
  const used = await organizationUsage(db, organizationId, firstDay);
  const rows: StoredRows = {
    licenses: known.licenses,
    requests: [...used.values()].reduce((sum, requests) => sum + requests, 0),
    events: await estimatedRows(db, "events", organizationId, nowMs),
    auditEntries: await estimatedRows(db, "audit_log", organizationId, nowMs),
  };
  const bytes = bytesPerRow[store.kind];
  return (Object.keys(rows) as (keyof StoredRows)[]).reduce((sum, kind) => sum + rows[kind] * bytes[kind], 0);
}
