import type { Plan } from "@countersign/domain/quota/limit";
import { planById, updatePlan } from "@countersign/store/queries/plans/plans";
import type { PlanRow } from "@countersign/store/tables/billing";
import type { QueryFixture } from "./query-tests.ts";

/** Changes a plan while `work` runs: other tests of the same store use it too. */
export async function withPlan(
  { reads, write }: QueryFixture,
  plan: Plan,
  changes: Partial<PlanRow>,
  work: () => Promise<void>,
): Promise<void> {
  const { id: _, ...before } = await planById(reads, plan);
  await write((db) => updatePlan(db, plan, { ...before, ...changes }));
  try {
    await work();
  } finally {
    await write((db) => updatePlan(db, plan, before));
  }
}
