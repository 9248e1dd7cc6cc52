import * as contract from "@countersign/contract/manage/usage";
import { dayMs } from "@countersign/domain/dates/lengths";
import { quotaDay, runsOutAt } from "@countersign/domain/quota/day";
import { logDays } from "@countersign/domain/requests/log-days";
import { productsOf } from "@countersign/store/queries/products/products";
import { organizationUsage, usageByDay, usageSince } from "@countersign/store/queries/usage/daily";
import { type BoundRoute, bind } from "../../api/bind.ts";
import { decodeCursor, iso, pageOf } from "../../api/page.ts";
import { limitsInUse, planOf } from "../plans/limits.ts";
import { platformSettings } from "../settings/platform-settings.ts";
import { estimatedStorage } from "./storage.ts";

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
          resets_at: iso((today + 1) * dayMs),
          runs_out_at: iso(runsOutAt(limit, usedToday, nowMs)),
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
    from: iso(firstDay * dayMs),
    days: Array.from({ length: days }, (_, at) => used.get(firstDay + at) ?? 0),
  };
}
