import { quotaMarks } from "@countersign/domain/events/quota";
import { quotaDay } from "@countersign/domain/quota/day";
import { dailyLimit } from "@countersign/domain/quota/limit";
import {
  addQuotaLooks,
  dueQuotaLooks,
  lockedUsage,
  takeQuotaLook,
  wasToldSince,
} from "@countersign/store/queries/quota-looks";
import { quotaFacts } from "@countersign/store/quota-data";
import type { Database, Store } from "@countersign/store/store";
import type { OrganizationRow, QuotaLookRow } from "@countersign/store/tables";
import type { Chore } from "../../jobs/chores.ts";
import { tell } from "./tell.ts";

type Terms = Pick<OrganizationRow, "plan" | "billing_state" | "daily_limit_override">;

/** By then, a batch that was counted under the old limit has been written: it takes at most two seconds, or fails. */
const lookAfterMs = 5_000;
/** IDs follow the servers' clocks. */
const clocksDifferMs = 10_000;
const looksAtOnce = 100;

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
  const oldMarks = quotaMarks(limitOf(before));
  const newMarks = quotaMarks(limitOf(after));
  for (const type of ["quota.warning", "quota.exhausted"] as const) {
    if (newMarks[type] >= oldMarks[type]) continue;
    await addQuotaLooks(db, organizationId, {
      type,
      oldMark: Math.min(oldMarks[type], Number.MAX_SAFE_INTEGER),
      day: quotaDay(nowMs),
      changed_at: nowMs,
      look_at: nowMs + lookAfterMs,
    });
  }
}

/**
 * Records events for products whose limit was lowered below today's usage. Whoever deletes the check records the event;
 * what a batch has recorded since the change, because it crossed the new limit itself, is not recorded again.
 */
export class QuotaWatch implements Chore {
  readonly name = "lowered limits";
  readonly everyMs = 2_000;
  readonly #store: Store;
  readonly #clock: () => Promise<number>;

  constructor(store: Store, clock = () => store.clock()) {
    this.#store = store;
    this.#clock = clock;
  }

  async run(): Promise<void> {
    const nowMs = await this.#clock();
    for (;;) {
      const looks = await dueQuotaLooks(this.#store.reads, nowMs, looksAtOnce);
      for (const look of looks) await this.#store.transaction((db) => lookAt(db, look, nowMs));
      if (looks.length < looksAtOnce) return;
    }
  }
}

async function lookAt(db: Database, look: QuotaLookRow, nowMs: number): Promise<void> {
  if (!(await takeQuotaLook(db, look)) || look.day !== quotaDay(nowMs)) return;
  const usage = await lockedUsage(db, look.product_id, look.day);
  const limit = usage === undefined ? null : limitOf(usage);
  if (usage === undefined || limit === null || usage.used < quotaMarks(limit)[look.type]) return;
  const { organization_id: organizationId, used } = usage;
  if (await wasToldSince(db, organizationId, look, look.changed_at - clocksDifferMs)) return;
  const { product_id: productId, type } = look;
  const product = { organization_id: organizationId, product_id: productId };
  const data = quotaFacts(product, limit, used, nowMs);
  await tell(db, nowMs, { type, organizationId, productId, licenseId: null, data });
}

function limitOf(terms: Terms): number | null {
  return dailyLimit({
    plan: terms.plan,
    billing: terms.billing_state,
    dailyLimitOverride: terms.daily_limit_override,
  });
}
