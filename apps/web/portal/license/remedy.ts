import type { License } from "../base/api.ts";
import { shownStatus } from "../licenses/license.ts";

/**
 * Why an app may refuse this license at present, and who can solve it. The first that applies, in the order in which
 * validate decides. Null if nothing is known to be wrong.
 */
export type Remedy =
  | { readonly kind: "seller_suspended" | "product_archived" | "product_disabled" | "revoked" }
  | { readonly kind: "expired"; readonly canRenew: boolean }
  | { readonly kind: "ip_blocked"; readonly ip: string }
  /** Every slot is taken, and an app at an IP address that has none was refused. */
  | { readonly kind: "ips_full"; readonly ip: string; readonly canRemove: boolean }
  | { readonly kind: "ip_not_registered"; readonly ip: string }
  | { readonly kind: "version"; readonly version: string | null };

type Facts = Pick<
  License,
  | "seller"
  | "product"
  | "status"
  | "renewal_url"
  | "ip_system_enabled"
  | "max_ips"
  | "current_unique_ip_count"
  | "your_ip"
  | "ips"
  | "refusals"
  | "self_service"
>;

/** Whether an older refusal was solved meanwhile is not known. It is listed, but not on top of the page. */
const recentMs = 3 * 86_400_000;

/** `isFromApp`: the person comes from an app that was refused just now. */
export function remedyOf(license: Facts, isFromApp: boolean, nowMs: number): Remedy | null {
  const status = shownStatus(license);
  if (status === "expired") return { kind: status, canRenew: license.renewal_url !== null };
  if (status !== "active") return { kind: status };
  const recent = license.refusals.filter((refusal) => nowMs - Date.parse(refusal.last_at) < recentMs);
  const refused = (wanted: string) => recent.find((refusal) => refusal.status === wanted);
  const blocked = refused("ip_blocked");
  if (blocked !== undefined) return { kind: "ip_blocked", ip: blocked.last_ip };
  if (isFull(license)) {
    const ip = refused("ip_limit_reached")?.last_ip ?? (isFromApp ? license.your_ip : null);
    const canRemove = license.self_service.can_remove_ip;
    if (ip !== null && !isRegistered(license, ip)) return { kind: "ips_full", ip, canRemove };
  }
  const unregistered = refused("ip_not_registered");
  if (unregistered !== undefined && !isRegistered(license, unregistered.last_ip))
    return { kind: "ip_not_registered", ip: unregistered.last_ip };
  const version = refused("version_not_allowed");
  return version === undefined ? null : { kind: "version", version: version.last_version };
}

function isFull({
  ip_system_enabled: isLimited,
  max_ips: most,
  current_unique_ip_count: used,
}: Facts): boolean {
  return isLimited && most !== null && used >= most;
}

function isRegistered({ ips }: Facts, ip: string): boolean {
  return ips.some((registered) => registered.ip === ip);
}
