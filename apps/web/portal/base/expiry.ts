/** From this many days before the expiry on, it is emphasized. */
const soonDays = 14;

export type Expiry =
  | { readonly kind: "never" }
  /** Whole days that are left; 0 on the last day. */
  | { readonly kind: "ahead"; readonly daysLeft: number; readonly isSoon: boolean }
  | { readonly kind: "over" };

/** How long a license is still valid, from the server's count, which a wrong clock here does not change. */
export function expiryOf(daysLeft: number | null): Expiry {
  if (daysLeft === null) return { kind: "never" };
  if (daysLeft < 0) return { kind: "over" };
  return { kind: "ahead", daysLeft, isSoon: daysLeft < soonDays };
}
