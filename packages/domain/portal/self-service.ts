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
