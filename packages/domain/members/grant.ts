import { missingPermissions, type Permission } from "./permissions.ts";

/** A change to someone's permissions: null if there were none before, or will be none after. */
interface PowerChange {
  readonly from: Iterable<Permission> | null;
  readonly to: Iterable<Permission> | null;
}

type PowerChangeResult =
  | { readonly allowed: true }
  /** What is changed or removed exceeds the caller's own permissions. */
  | { readonly allowed: false; readonly because: "outranked"; readonly missing: readonly Permission[] }
  /** What is granted exceeds the caller's own permissions. */
  | { readonly allowed: false; readonly because: "exceeds"; readonly missing: readonly Permission[] };

/**
 * Nobody can grant or remove permissions they do not have. This one rule covers roles, members and invitations: nobody
 * can escalate their own permissions, by whatever detour, and nobody can weaken someone with more.
 */
export function checkPowerChange(held: ReadonlySet<Permission>, change: PowerChange): PowerChangeResult {
  const above = missingPermissions(held, change.from ?? []);
  if (above.length > 0) return { allowed: false, because: "outranked", missing: above };
  const beyond = missingPermissions(held, change.to ?? []);
  if (beyond.length > 0) return { allowed: false, because: "exceeds", missing: beyond };
  return { allowed: true };
}
