import { heldAllowance } from "@countersign/store/queries/organizations";
import type { Database } from "@countersign/store/store";
import type { Context } from "../../http/manage/context.ts";
import { Problem } from "../../http/manage/problem.ts";
import { defaultPlan } from "./default-plan.ts";

/** How many organizations one person may own while any of them is on Free or Pro. */
const usualAllowance = 2;

/**
 * The free plans let a person own two. An operator can allow more, or fewer, for each person. Two organizations that
 * come to one person at once are counted one after the other.
 */
export async function checkAllowance(
  db: Database,
  context: Context,
  userId: string,
  who: "You" | "They",
): Promise<void> {
  const owned = await heldAllowance(db, userId);
  const allowance = owned.allowance ?? (await usualFor(db, context));
  if (allowance === null || owned.count < allowance) return;
  throw new Problem(
    "limit_reached",
    `${who} own ${owned.count} organizations, which is all that ${who.toLowerCase()} may. The operator of this server can allow more.`,
  );
}

async function usualFor(db: Database, { config }: Context): Promise<number | null> {
  const { plan } = await defaultPlan(db, config);
  return plan === "enterprise" ? null : usualAllowance;
}
