import * as contract from "@countersign/contract/manage/overview";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { dayMs } from "@countersign/domain/dates/lengths";
import { quotaDay } from "@countersign/domain/quota/day";
import { createdByDay, expiringByWeek } from "@countersign/store/queries/licenses/stored-counts";
import { type BoundRoute, bind } from "../../api/context.ts";
import { attention } from "./attention.ts";

export const overviewRoutes: readonly BoundRoute[] = [
  bind(contract.getAttention, async (context) => ({ data: await attention(context) })),

  bind(contract.getLicenseTrend, async (context) => {
    const { id } = context.organization;
    const db = context.store.listReads;
    const { nowMs } = context;
    const today = quotaDay(nowMs);
    const firstDay = today - 29;
    const created = await createdByDay(db, id, firstDay, 30);
    const expiring = await expiringByWeek(db, id, nowMs, 12);
    return {
      created: created.map((count, at) => ({ from: isoTime((firstDay + at) * dayMs), count })),
      expiring: expiring.map((count, at) => ({
        from: isoTime(at === 0 ? nowMs : (today + at * 7) * dayMs),
        count,
      })),
    };
  }),
];
