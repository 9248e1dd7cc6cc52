import { dayMs } from "../dates/lengths.ts";
/** What decides whether customers can change a license themselves. */
export interface SelfServiceFacts {
  readonly license: "active" | "revoked" | "expired";
  readonly product: "active" | "disabled" | "archived";
  readonly sellerIsSuspended: boolean;
  /** The product's settings. */
  readonly ipRemovals: number;
  readonly keyRotation: boolean;
  readonly transfers: "off" | "review" | "automatic";
  readonly hasPendingTransfer: boolean;
}

/** Why a customer cannot do something, apart from budgets. The names are those of the API's problems. */
export type SelfServiceRefusal =
  | "seller_suspended"
  | "self_service_off"
  | "product_not_active"
  | "license_is_revoked"
  | "license_is_expired";

/**
 * One IP address, or all. Expired licenses allow it: a customer who renews from another computer finds a free slot there.
 */
export function ipRemovalRefusal(facts: SelfServiceFacts): SelfServiceRefusal | null {
  return generalRefusal(facts, facts.ipRemovals > 0);
}

/**
 * Not for expired licenses. Their key opens nothing that a new one would protect, and sellers renew by the key they
 * know.
 */
export function keyRotationRefusal(facts: SelfServiceFacts): SelfServiceRefusal | null {
  return (
    generalRefusal(facts, facts.keyRotation) ?? (facts.license === "expired" ? "license_is_expired" : null)
  );
}

/** Whether a request for a transfer is worth offering. What happens to it is decided when it is made. */
export function canRequestTransfer(facts: SelfServiceFacts): boolean {
  return generalRefusal(facts, facts.transfers !== "off") === null && !facts.hasPendingTransfer;
}

/** A revoked license can only be viewed, as can those of a product that the seller has turned off. */
function generalRefusal(facts: SelfServiceFacts, isOffered: boolean): SelfServiceRefusal | null {
  if (facts.sellerIsSuspended) return "seller_suspended";
  if (!isOffered) return "self_service_off";
  if (facts.product !== "active") return "product_not_active";
  return facts.license === "revoked" ? "license_is_revoked" : null;
}

/** What customers can do a number of times within a time span, counted per license. */
interface Allowance {
  readonly limit: number;
  readonly windowMs: number;
}

/** Something that a customer did, and how much of the allowance it took. */
export interface Spending {
  readonly atMs: number;
  readonly count: number;
}

export interface Budget {
  readonly limit: number;
  /** At most the limit, also if the seller has lowered it since. */
  readonly used: number;
  readonly left: number;
  /** When more is left than now; null if nothing of it is used. */
  readonly nextAtMs: number | null;
}

export const ipRemovalWindowMs = 30 * dayMs;

/** Enough for someone who tries it out; a key that is replaced more often than this is a mistake or an attack. */
export const keyRotations: Allowance = { limit: 5, windowMs: dayMs };

/** What is left now. Each spending counts for exactly as long as the window, no matter who owned the license then. */
export function budgetOf(allowance: Allowance, spendings: readonly Spending[], nowMs: number): Budget {
  const { limit } = allowance;
  const used = Math.min(limit, usedAt(allowance, spendings, nowMs));
  const nextAtMs = used === 0 ? null : endOfUse(allowance, spendings, used, nowMs);
  return { limit, used, left: limit - used, nextAtMs };
}

/** When less than `used` counts, if nothing else is spent until then. */
function endOfUse(
  allowance: Allowance,
  spendings: readonly Spending[],
  used: number,
  nowMs: number,
): number | null {
  const ends = spendings
    .map(({ atMs }) => atMs + allowance.windowMs)
    .filter((endMs) => endMs > nowMs)
    .sort((a, b) => a - b);
  return ends.find((endMs) => usedAt(allowance, spendings, endMs) < used) ?? null;
}

function usedAt({ windowMs }: Allowance, spendings: readonly Spending[], nowMs: number): number {
  return spendings.reduce((sum, { atMs, count }) => (atMs + windowMs > nowMs ? sum + count : sum), 0);
}
