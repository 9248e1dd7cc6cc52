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
