import * as contract from "@countersign/contract/manage/plans";
import { recurringRevenue, trialCount } from "@countersign/domain/billing/subscription";
import { countsByPlan, subscriptionSums } from "@countersign/store/queries/billing/platform";
import { type BoundRoute, bind } from "../../api/bind.ts";

export const revenueRoutes: readonly BoundRoute[] = [
  bind(contract.getRevenue, async ({ store }) => {
    const sums = await subscriptionSums(store.reads);
    return {
      recurring: recurringRevenue(sums),
      trial_count: trialCount(sums),
      organizations: await countsByPlan(store.reads),
    };
  }),
];
