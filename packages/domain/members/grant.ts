import { notHeld, type Permission } from "./permissions.ts";

/** What somebody wants to do to the permissions of others: null where there were none, or will be none. */
export interface PowerChange {
  readonly from: Iterable<Permission> | null;
  readonly to: Iterable<Permission> | null;
}

export type Judgement =
  | { readonly allowed: true }
  /** What is changed or taken away holds more than they hold. */
  | { readonly allowed: false; readonly because: "outranked"; readonly missing: readonly Permission[] }
  /** What is given holds more than they hold. */
  | { readonly allowed: false; readonly because: "exceeds"; readonly missing: readonly Permission[] };

/**
 * Nobody gives or takes what they do not hold. It is the one rule for roles, members and invitations: with it nobody
 * can raise themselves, by whatever detour, and nobody can disarm somebody who may do more.
 */
export function judgePowerChange(held: ReadonlySet<Permission>, change: PowerChange): Judgement {
  const above = notHeld(held, change.from ?? []);
  if (above.length > 0) return { allowed: false, because: "outranked", missing: above };
  const beyond = notHeld(held, change.to ?? []);
  if (beyond.length > 0) return { allowed: false, because: "exceeds", missing: beyond };
  return { allowed: true };
}
