import type { planShape } from "@countersign/contract/manage/plans";
import { billingIntervals, priceFor } from "@countersign/domain/billing/subscription";
import type { PlanRow } from "@countersign/store/tables/billing";
import type { z } from "zod";
import { iso } from "../../api/page.ts";
import type { Config } from "../../base/config.ts";

export function showPlan(
  row: PlanRow,
  { stripe }: Pick<Config, "stripe">,
  currency: string,
): z.input<typeof planShape> {
  const { id, updated_at: updatedAt, version_module: versionModule, ...settings } = row;
  return {
    plan: id,
    ...settings,
    version_module: versionModule === 1,
    currency,
    can_be_bought:
      stripe !== null && billingIntervals.some((interval) => priceFor(row, interval, stripe.mode) !== null),
    updated_at: iso(updatedAt),
  };
}
