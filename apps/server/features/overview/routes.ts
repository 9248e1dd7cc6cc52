import * as contract from "@countersign/contract/manage/organizations";
import { dayMs } from "@countersign/domain/dates/lengths";
import { quotaDay } from "@countersign/domain/quota/day";
import { createdByDay, expiringByWeek } from "@countersign/store/queries/licenses/stored-counts";
import { type BoundRoute, bind } from "../../api/bind.ts";
import { iso } from "../../api/page.ts";

export const overviewRoutes: readonly BoundRoute[] = [
  bind(contract.getLicenseTrend, async (context) => {
    const { id } = context.organization;
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
];
