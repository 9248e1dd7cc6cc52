import { quotaMarks } from "@countersign/domain/events/thresholds";
import { quotaDay } from "@countersign/domain/quota/day";
import { effectivePlan } from "@countersign/domain/quota/limit";
import { quotaFacts } from "@countersign/store/batches/batch";
import {
  claimQuotaCheck,
  dueQuotaChecks,
  lockedUsage,
  wasRecordedSince,
} from "@countersign/store/queries/events/quota-checks";
import { planById } from "@countersign/store/queries/plans/plans";
import type { Database, Store } from "@countersign/store/store";
import type { OrganizationRow } from "@countersign/store/tables/organizations";
import type { QuotaCheckRow } from "@countersign/store/tables/products";
import { neverAborted, slicesOf } from "../../jobs/batches.ts";
import type { PeriodicJob } from "../../jobs/periodic-jobs.ts";
import { scheduleForLoweredPlans } from "./lowered-plans.ts";
import { addChecks } from "./quota-marks.ts";
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
