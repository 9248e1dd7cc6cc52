import type { planShape } from "@countersign/contract/manage/plans";
import type { PlanRow } from "@countersign/store/tables";
import type { z } from "zod";
import type { Config } from "../../config.ts";
import { iso } from "../../http/manage/page.ts";

export function showPlan(
  row: PlanRow,
  { stripe }: Pick<Config, "stripe">,
  currency: string,
): z.input<typeof planShape> {
  const { id, updated_at: updatedAt, version_module: versionModule, ...settings } = row;
  const isPriced = row.monthly_price !== null || row.yearly_price !== null;
  return {
    plan: id,
    ...settings,
    version_module: versionModule === 1,
    currency,
    can_be_bought: stripe !== null && isPriced,
    updated_at: iso(updatedAt),
  };
}
