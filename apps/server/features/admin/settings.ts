import * as contract from "@countersign/contract/manage/admin";
import { lockSetup } from "@countersign/store/queries/admin/platform-state";
import { type BoundRoute, bind } from "../../http/manage/bind.ts";
import { Problem } from "../../http/manage/problem.ts";
import { asPlatform, audit } from "../audit-log/record.ts";
import { chooseDefaultPlan, type DefaultPlan, defaultPlan } from "../organizations/default-plan.ts";

/** Platform-wide settings, unless the environment overrides them. */
export const settingsRoutes: readonly BoundRoute[] = [
  bind(contract.getPlatformSettings, async ({ store, config }) =>
    show(await defaultPlan(store.reads, config)),
  ),

  bind(contract.updatePlatformSettings, async (context, { body: { default_plan: plan } }) => {
    return context.transaction(async (db) => {
      await lockSetup(db);
      const before = await defaultPlan(db, context.config);
      if (plan === undefined) return show(before);
      if (before.setBy === "environment")
        throw new Problem("default_plan_in_environment", {}, { field: "default_plan" });
      // The first explicit choice is a decision, even if it matches the current default.
      if (before.setBy === "nobody" || before.plan !== plan) {
        await chooseDefaultPlan(db, plan);
        await audit(db, asPlatform(context), {
          action: "platform.updated",
          subject: { kind: "platform", id: "settings" },
          before: { default_plan: before.setBy === "nobody" ? null : before.plan },
          after: { default_plan: plan },
        });
      }
      return show({ plan, setBy: "platform_admin" });
    });
  }),
];

function show({ plan, setBy }: DefaultPlan) {
  return { default_plan: plan, default_plan_set_by: setBy };
}
