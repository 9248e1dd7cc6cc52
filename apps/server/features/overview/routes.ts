import * as contract from "@countersign/contract/manage/overview";
import { dayMs } from "@countersign/domain/dates/lengths";
import { quotaDay } from "@countersign/domain/quota/day";
import { createdByDay, expiringByWeek } from "@countersign/store/queries/licenses/stored-counts";
import { usageSince } from "@countersign/store/queries/overview/usage";
import { productsOf } from "@countersign/store/queries/products/products";
import { type BoundRoute, bind } from "../../http/manage/bind.ts";
import { requireOrganization } from "../../http/manage/context.ts";
import { decodeCursor, iso, pageOf } from "../../http/manage/page.ts";

const usageDays = 14;

export const overviewRoutes: readonly BoundRoute[] = [
  bind(contract.getLicenseTrend, async (context) => {
    const { id } = requireOrganization(context);
    const db = context.store.listReads;
    const { nowMs } = context;
    const today = quotaDay(nowMs);
    const firstDay = today - 29;
    const created = await createdByDay(db, id, firstDay, 30);
    const expiring = await expiringByWeek(db, id, nowMs, 12);
    return {
      created: created.map((count, at) => ({ from: iso((firstDay + at) * dayMs), count })),
      expiring: expiring.map((count, at) => ({
        from: iso(at === 0 ? nowMs : (today + at * 7) * dayMs),
        count,
      })),
    };
  }),

  bind(contract.listProductUsage, async (context, { query }) => {
    const db = context.store.reads;
    const after = decodeCursor(query.cursor, ["number", "text"]);
    const rows = await productsOf(db, requireOrganization(context).id, {
      after: after === null ? null : { createdAt: Number(after[0]), id: String(after[1]) },
      limit: query.limit + 1,
      status: null,
    });
    const firstDay = quotaDay(context.nowMs) - usageDays + 1;
    const usage = await usageSince(
      db,
      rows.map(({ id }) => id),
      firstDay,
    );
    const used = new Map(usage.map((row) => [`${row.product_id} ${row.day}`, row.used]));
    return pageOf(
      rows,
      query.limit,
      (row) => [row.created_at, row.id],
      ({ id, name, status }) => ({
        product_id: id,
        name,
        status,
        days: Array.from({ length: usageDays }, (_, at) => used.get(`${id} ${firstDay + at}`) ?? 0),
      }),
    );
  }),
];
