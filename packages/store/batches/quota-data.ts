import { dayMs } from "@countersign/domain/dates/lengths";
import { quotaDay } from "@countersign/domain/quota/day";

/** The data of a quota event. PostgreSQL writes the same in the statement that counts. */
export function quotaData(product: QuotaProduct, limit: number, used: number, nowMs: number): string {
  return JSON.stringify(quotaFacts(product, limit, used, nowMs));
}

export function quotaFacts(
  { organization_id, product_id }: QuotaProduct,
  limit: number,
  used: number,
  nowMs: number,
) {
  const resetsAt = new Date((quotaDay(nowMs) + 1) * dayMs).toISOString();
  return { organization_id, product_id, limit, used, resets_at: resetsAt };
}

interface QuotaProduct {
  readonly organization_id: string;
  readonly product_id: string;
}
