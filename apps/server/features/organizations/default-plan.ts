import { type Plan, plans } from "@countersign/domain/quota/limit";
import { setState, stateOf } from "@countersign/store/queries/admin/platform-state";
import type { Database } from "@countersign/store/store";
import type { Config } from "../../config.ts";

export interface DefaultPlan {
  readonly plan: Plan;
  /** Who decided. Nobody, as long as everyone gets everything because nothing was decided. */
  readonly setBy: "environment" | "platform_admin" | "nobody";
}

/** The plan of new organizations: from the environment, or else as the platform admin chose. */
export async function defaultPlan(db: Database, { defaultPlan: plan }: Config): Promise<DefaultPlan> {
  if (plan !== null) return { plan, setBy: "environment" };
  const kept = await stateOf(db, stateName);
  const chosen = plans.find((candidate) => candidate === kept);
  if (chosen !== undefined) return { plan: chosen, setBy: "platform_admin" };
  return { plan: "enterprise", setBy: "nobody" };
}

export async function chooseDefaultPlan(db: Database, plan: Plan): Promise<void> {
  await setState(db, stateName, plan);
}

const stateName = "default_plan";
