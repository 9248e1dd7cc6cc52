import { quotaMarks } from "@countersign/domain/events/thresholds";
import { quotaDay } from "@countersign/domain/quota/day";
import { effectivePlan, type Plan, plans } from "@countersign/domain/quota/limit";
import { quotaFacts } from "@countersign/store/batches/batch";
import {
  lockedState,
  removeState,
  setState,
  statesNamed,
} from "@countersign/store/queries/admin/platform-state";
import {
  addQuotaChecks,
  claimQuotaCheck,
  dueQuotaChecks,
  lockedUsage,
  wasRecordedSince,
} from "@countersign/store/queries/events/quota-checks";
import { organizationsWithLimitOf, planById } from "@countersign/store/queries/plans/plans";
import type { Database, Store } from "@countersign/store/store";
import type { OrganizationRow } from "@countersign/store/tables/organizations";
import type { QuotaCheckRow } from "@countersign/store/tables/products";
import { neverAborted, slicesOf } from "../../jobs/batches.ts";
import type { PeriodicJob } from "../../jobs/periodic-jobs.ts";
import { recordEvents } from "./record.ts";

type Terms = Pick<OrganizationRow, "plan" | "billing_state" | "daily_limit_override">;

/** IDs follow the servers' clocks. */
const clocksDifferMs = 10_000;
const checksAtOnce = 100;

/**
 * Must be called in the transaction that changes an organization's limits. A lowered limit may already be exceeded
 * today, so that no batch will cross it: this is checked a little later.
 */
export async function termsChanged(
  db: Database,
  organizationId: string,
  before: Terms,
  after: Terms,
  nowMs: number,
): Promise<void> {
  const change = { from: await limitOf(db, before), to: await limitOf(db, after), changedAt: nowMs };
  await addChecks(db, [organizationId], change, nowMs);
}

/**
 * Records events for products whose limit was lowered below today's usage. The node that deletes the check records the
 * event; what a batch has recorded since the change, because it crossed the new limit itself, is not recorded again.
 */
export function quotaCheck(store: Store, clock: () => Promise<number> = () => store.clock()): PeriodicJob {
  const run = async (stopping = neverAborted) => {
    const nowMs = await clock();
    await scheduleForLoweredPlans(store, nowMs);
    const next = () => dueQuotaChecks(store.reads, nowMs, checksAtOnce);
    for await (const checks of slicesOf(checksAtOnce, stopping, next))
      for (const check of checks) await store.transaction((db) => runCheck(db, check, nowMs));
  };
  return { name: "lowered limits", everyMs: 2_000, run };
}

async function runCheck(db: Database, check: QuotaCheckRow, nowMs: number): Promise<void> {
  if (!(await claimQuotaCheck(db, check)) || check.day !== quotaDay(nowMs)) return;
  const usage = await lockedUsage(db, check.product_id, check.day);
  const limit = usage === undefined ? null : await limitOf(db, usage);
  if (usage === undefined || limit === null || usage.used < quotaMarks(limit)[check.type]) return;
  const { organization_id: organizationId, used } = usage;
  if (await wasRecordedSince(db, organizationId, check, check.changed_at - clocksDifferMs)) return;
  const { product_id: productId, type } = check;
  const product = { organization_id: organizationId, product_id: productId };
  const data = quotaFacts(product, limit, used, nowMs);
  await recordEvents(db, nowMs, { type, organizationId, productId, licenseId: null, data });
}

async function limitOf(db: Database, terms: Terms): Promise<number | null> {
  if (terms.daily_limit_override !== null) return terms.daily_limit_override;
  return (await planById(db, effectivePlan(terms.plan, terms.billing_state))).daily_limit;
}

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
async function scheduleForLoweredPlans(store: Store, nowMs: number): Promise<void> {
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

/** By then, a batch that was counted under the old limit has been written: it takes at most two seconds, or fails. */
const checkAfterMs = 5_000;

/** A change of the daily limit. Null for no limit. */
interface LimitChange {
  readonly from: number | null;
  readonly to: number | null;
  readonly changedAt: number;
}

/** Schedules checks of the thresholds that a change lowers, for the products of these organizations. */
async function addChecks(
  db: Database,
  organizationIds: readonly string[],
  { from, to, changedAt }: LimitChange,
  nowMs: number,
): Promise<void> {
  const oldMarks = quotaMarks(from);
  const newMarks = quotaMarks(to);
  for (const type of ["quota.warning", "quota.exhausted"] as const) {
    if (newMarks[type] >= oldMarks[type]) continue;
    await addQuotaChecks(db, organizationIds, {
      type,
      oldMark: Math.min(oldMarks[type], Number.MAX_SAFE_INTEGER),
      day: quotaDay(nowMs),
      changed_at: changedAt,
      check_at: nowMs + checkAfterMs,
    });
  }
}
