import { quotaDay } from "@countersign/domain/quota/day";
import { type Plan, plans } from "@countersign/domain/quota/limit";
import {
  lockedState,
  removeState,
  setState,
  statesNamed,
} from "@countersign/store/queries/admin/platform-state";
import { organizationsWithLimitOf, planById } from "@countersign/store/queries/plans/plans";
import type { Database, Store } from "@countersign/store/store";
import { addChecks } from "./quota-marks.ts";

/** The size of one transaction: validations wait while it runs. */
const organizationsAtOnce = 50;

/** A lowered limit of a plan whose organizations are not all scheduled yet. Stored as text in `platform_state`. */
interface LoweredPlan {
  readonly from: number | null;
  readonly changedAt: number;
  readonly afterId: string;
}

/**
 * Must be called in the transaction that changes a plan's daily limit. A plan can have any number of organizations, so
 * the check of lowered limits schedules them in batches.
 */
export async function planLimitChanged(
  db: Database,
  plan: Plan,
  from: number | null,
  to: number | null,
  nowMs: number,
): Promise<void> {
  if (to === null || (from !== null && to >= from)) return;
  const name = stateName(plan);
  const pending = parse(await lockedState(db, name));
  const isPending = pending !== null && quotaDay(pending.changedAt) === quotaDay(nowMs);
  const lowered: LoweredPlan = isPending
    ? { from: larger(pending.from, from), changedAt: pending.changedAt, afterId: "" }
    : { from, changedAt: nowMs, afterId: "" };
  await setState(db, name, JSON.stringify(lowered));
}

/** Any number of nodes can do this at the same time: each batch locks the position and moves it. */
export async function scheduleForLoweredPlans(store: Store, nowMs: number): Promise<void> {
  const waiting = await statesNamed(store.reads, plans.map(stateName));
  for (const plan of plans) {
    if (!waiting.has(stateName(plan))) continue;
    while (await store.transaction((db) => scheduleSome(db, plan, nowMs)));
  }
}

/** Returns whether more are left. */
async function scheduleSome(db: Database, plan: Plan, nowMs: number): Promise<boolean> {
  const name = stateName(plan);
  const lowered = parse(await lockedState(db, name));
  if (lowered === null) return false;
  const { daily_limit: to } = await planById(db, plan);
  const isOver = quotaDay(lowered.changedAt) !== quotaDay(nowMs);
  const ids = isOver ? [] : await organizationsWithLimitOf(db, plan, lowered.afterId, organizationsAtOnce);
  await addChecks(db, ids, { from: lowered.from, to, changedAt: lowered.changedAt }, nowMs);
  const last = ids.at(-1);
  if (last === undefined || ids.length < organizationsAtOnce) {
    await removeState(db, name);
    return false;
  }
  await setState(db, name, JSON.stringify({ ...lowered, afterId: last }));
  return true;
}

function larger(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : Math.max(one, other);
}

function stateName(plan: Plan): string {
  return `lowered_plan.${plan}`;
}

function parse(text: string | null): LoweredPlan | null {
  return text === null ? null : (JSON.parse(text) as LoweredPlan);
}
