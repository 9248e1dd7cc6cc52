import { quotaDay } from "@countersign/domain/quota/day";

const dayMs = 86_400_000;

/** What is told of a product's quota. PostgreSQL writes the same in the statement that counts. */
export function quotaData(
  { organization_id, product_id }: { readonly organization_id: string; readonly product_id: string },
  limit: number,
  used: number,
  nowMs: number,
): string {
  const resetsAt = new Date((quotaDay(nowMs) + 1) * dayMs).toISOString();
  return JSON.stringify({ organization_id, product_id, limit, used, resets_at: resetsAt });
}
