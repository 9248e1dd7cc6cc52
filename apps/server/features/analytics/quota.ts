import { dayMs } from "@countersign/domain/dates/lengths";
import { quotaDay, runsOutAt } from "@countersign/domain/quota/day";
import { mostUsedProducts } from "@countersign/store/queries/analytics/listed-licenses";
import type { OrganizationContext } from "../../api/context.ts";
import { iso } from "../../api/page.ts";
import { planOf } from "../plans/limits.ts";

const mostProducts = 20;

/** The products that used most of their daily limit today, or one product. */
export async function quotaUse(context: OrganizationContext, productId: string | null) {
  const { organization, nowMs } = context;
  const db = context.store.reads;
  const today = quotaDay(nowMs);
  const limit = organization.daily_limit_override ?? (await planOf(db, organization)).daily_limit;
  const products = await mostUsedProducts(db, organization.id, productId, today, mostProducts);
  return products.map(({ id, name, used, usedBefore }) => ({
    product_id: id,
    product_name: name,
    used_today: used,
    used_yesterday: usedBefore,
    daily_limit: limit,
    resets_at: iso((today + 1) * dayMs),
    runs_out_at: iso(runsOutAt(limit, used, nowMs)),
  }));
}
