import * as contract from "@countersign/contract/manage/plans";
import { billingIntervals, priceFor } from "@countersign/domain/billing/subscription";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { type Plan, plans } from "@countersign/domain/quota/limit";
import {
  allPlans,
  keepVersionModule,
  lockedPlan,
  planById,
  updatePlan,
} from "@countersign/store/queries/plans/plans";
import type { Store } from "@countersign/store/store";
import type { PlanRow } from "@countersign/store/tables/billing";

import { yieldToEventLoop } from "@countersign/store/threads/yield-to-event-loop";
import type { z } from "zod";
import { type BoundRoute, bind, checkUnchanged, nextUpdatedAt } from "../../api/context.ts";
import { asColumns } from "../../api/page.ts";
import type { Config } from "../../base/config.ts";
import { Problem } from "../../http/problem.ts";
import { asPlatform, audit, difference } from "../audit-log/record.ts";
import { planLimitChanged } from "../events/quota-check.ts";
import { paymentSettings } from "../settings/platform-settings.ts";

/** The size of one transaction: validations wait while it runs. */
const organizationsAtOnce = 200;

export const planRoutes: readonly BoundRoute[] = [
  bind(contract.listPlans, async ({ store, config }) => {
    const { currency } = await paymentSettings(store.reads);
    const rows = await allPlans(store.reads);
    return { data: rows.map((row) => showPlan(row, config, currency)), next_cursor: null };
  }),

  bind(contract.updatePlan, async (context, input) => {
    const plan = plans.find((known) => known === input.params.plan);
    if (plan === undefined) throw new Problem("plan_not_found");
    const { updated_at: guard, ...body } = input.body;
    if (body.version_module === false) {
      checkUnchanged(context, (await planById(context.store.reads, plan)).updated_at, guard);
      await keepVersionModules(context.store, plan);
    }
    return context.transaction(async (db) => {
      const row = await lockedPlan(db, plan);
      checkUnchanged(context, row.updated_at, guard);
      const changes = asColumns(body);
      const changed = { ...row, ...changes, updated_at: nextUpdatedAt(context, row.updated_at) };
      await updatePlan(db, plan, { ...changes, updated_at: changed.updated_at });
      await planLimitChanged(db, plan, row.daily_limit, changed.daily_limit, context.nowMs);
      await audit(db, asPlatform(context), {
        action: "plan.updated",
        subject: { kind: "plan", id: plan, name: changed.name },
        ...difference(row, changes),
      });
      const { currency } = await paymentSettings(db);
      return showPlan(changed, context.config, currency);
    });
  }),
];

/**
 * Before a plan loses the version module: its organizations keep their version checks until they choose otherwise. New
 * ones on this plan are noted when they get it.
 */
async function keepVersionModules(store: Store, plan: Plan): Promise<void> {
  if ((await planById(store.reads, plan)).version_module === 0) return;
  while (
    (await store.transaction((db) => keepVersionModule(db, plan, organizationsAtOnce))) ===
    organizationsAtOnce
  )
    await yieldToEventLoop();
}

function showPlan(
  row: PlanRow,
  { stripe }: Pick<Config, "stripe">,
  currency: string,
): z.input<typeof contract.planShape> {
  const { id, updated_at: updatedAt, version_module: versionModule, ...settings } = row;
  return {
    plan: id,
    ...settings,
    version_module: versionModule === 1,
    currency,
    can_be_bought:
      stripe !== null && billingIntervals.some((interval) => priceFor(row, interval, stripe.mode) !== null),
    updated_at: isoTime(updatedAt),
  };
}
