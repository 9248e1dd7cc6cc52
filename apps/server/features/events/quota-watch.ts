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

/** A batch that was counted under the old limit is written by then: it takes two seconds at most, or fails. */
const lookAfterMs = 5_000;
/** Ids are made by the clocks of servers. */
const clocksDifferMs = 10_000;
const looksAtOnce = 100;

/**
 * To be called in the transaction that changes an organization's terms. A limit that is lowered may be one that was
 * passed today already, and no batch will cross it: so that is looked at a little later.
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
 * Tells of products whose limit was lowered below what they have used today. Who takes the look away tells; and what a
 * batch told since the change, because it crossed the new limit itself, is not told again.
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
