import { dayMs } from "../dates/lengths.ts";

/** What decides whether a requested transfer is approved automatically. */
export interface TransferFacts {
  readonly mode: "review" | "automatic";
  readonly cooldownDays: number;
  readonly createdAtMs: number;
  /** Null if the license was never transferred. */
  readonly lastTransferredAtMs: number | null;
  /** Whether the organization has IP blocks for the recipient. */
  readonly targetBlocked: boolean;
  readonly nowMs: number;
}

type ReviewReason = "product_setting" | "cooldown" | "target_blocked";

/**
 * Why someone has to review the transfer; null if it is approved automatically. The reason that waiting does not
 * resolve comes first.
 */
export function reviewReason(facts: TransferFacts): ReviewReason | null {
  if (facts.mode === "review") return "product_setting";
  if (facts.targetBlocked) return "target_blocked";
  return isCoolingDown(facts) ? "cooldown" : null;
}

/** Since it was created, and since it was last transferred: a change at the very end of the time counts as after it. */
function isCoolingDown({ cooldownDays, createdAtMs, lastTransferredAtMs, nowMs }: TransferFacts): boolean {
  if (cooldownDays === 0) return false;
  const latestMs = Math.max(createdAtMs, lastTransferredAtMs ?? createdAtMs);
  return latestMs + cooldownDays * dayMs > nowMs;
}

/** At most this many requests for one license within a day. */
export const requestsPerDay = 5;

/** When the next request is allowed; null if it is now. `requestedAtMs` are the latest requests, newest first. */
export function nextRequestAtMs(requestedAtMs: readonly number[], nowMs: number): number | null {
  const oldest = requestedAtMs[requestsPerDay - 1];
  if (oldest === undefined || oldest + dayMs <= nowMs) return null;
  return oldest + dayMs;
}

/** What decides whether a license can be transferred at all. */
interface TransferableFacts {
  readonly productStatus: "active" | "disabled" | "archived";
  readonly isRevoked: boolean;
}

type TransferRefusal = "transfer_product_inactive" | "transfer_license_revoked";

/** Why the license cannot be transferred now, by a request or by an approval; null if it can. */
export function transferRefusal({ productStatus, isRevoked }: TransferableFacts): TransferRefusal | null {
  if (productStatus !== "active") return "transfer_product_inactive";
  return isRevoked ? "transfer_license_revoked" : null;
}

type RequestRefusal = TransferRefusal | "transfers_not_offered" | "transfer_pending";

/** Why a customer cannot request a transfer now; null if they can. */
export function requestRefusal(
  facts: TransferableFacts & {
    readonly transfers: "off" | "review" | "automatic";
    readonly hasPending: boolean;
  },
): RequestRefusal | null {
  if (facts.transfers === "off") return "transfers_not_offered";
  return transferRefusal(facts) ?? (facts.hasPending ? "transfer_pending" : null);
}
