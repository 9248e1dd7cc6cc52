import { gateVersion } from "../versions/gate.ts";
import type { CallerFacts, LicenseFacts, ProductFacts } from "./facts.ts";
import { ipSlot, productRefusal, refusesExpired, refusesVersion } from "./rules.ts";
import type { Outcome } from "./status.ts";

/** The verdict, and the one write that storage has to make because of it. */
export interface Verdict {
  readonly status: Outcome;
  readonly expiresAtMs: number | null;
  readonly ipRegistered: boolean | null;
  readonly ipCount: number | null;
  readonly maxIps: number | null;
  readonly version: string | null;
  readonly versionValid: boolean | null;
  /**
   * `register_ip` tells storage to take one of the license's slots for this IP address. The counts above already assume
   * that it succeeds; if another request took the last slot first, storage decides again from the new facts.
   */
  readonly effect: "none" | "register_ip";
  /** Whether this is the license's first use, which starts its term. The expiry above already assumes it. */
  readonly firstUse: boolean;
}

/** All of validation as early returns: the first reason to reject, in order of precedence, is the result. */
export function decide(
  product: ProductFacts,
  license: LicenseFacts | null,
  caller: CallerFacts,
  nowMs: number,
): Verdict {
  const refusedProduct = productRefusal(product);
  if (refusedProduct !== null) return withoutLicense(refusedProduct);
  if (license === null) return withoutLicense("license_not_found");

  const gate = product.versions
    ? gateVersion(product.versions.catalog, license.pin, caller.version)
    : versionModuleOff;

  if (license.revoked) return verdict(license, gate, "revoked", null);
  if (refusesExpired(product, license, nowMs)) return verdict(license, gate, "expired", null);
  if (caller.blocked) return verdict(license, gate, "ip_blocked", false);

  const slot = ipSlot(product, license, caller);
  if (slot === "ip_not_registered" || slot === "ip_limit_reached") return verdict(license, gate, slot, false);

  // An IP address takes a slot only if the whole request passes, so that an outdated app cannot use one up.
  if (refusesVersion(product, gate.versionValid)) return verdict(license, gate, "version_not_allowed", false);
  return slot === "free"
    ? verdict(license, gate, "active", true, "register_ip", nowMs)
    : verdict(license, gate, "active", false, "none", nowMs);
}

function verdict(
  { expiresAtMs, ips, unused }: LicenseFacts,
  gate: { readonly version: string | null; readonly versionValid: boolean | null },
  status: Outcome,
  ipRegistered: boolean | null,
  effect: Verdict["effect"] = "none",
  usedAtMs: number | null = null,
): Verdict {
  const firstUse = unused !== null && usedAtMs !== null;
  return {
    status,
    expiresAtMs: firstUse && unused.termMs !== null ? usedAtMs + unused.termMs : expiresAtMs,
    ipRegistered: ips === null ? null : ipRegistered,
    ipCount: ips === null ? null : ips.registered + (effect === "register_ip" ? 1 : 0),
    maxIps: ips === null ? null : ips.max,
    version: gate.version,
    versionValid: gate.versionValid,
    effect,
    firstUse,
  };
}

const versionModuleOff = { version: null, versionValid: null } as const;

function withoutLicense(status: Outcome): Verdict {
  return {
    status,
    expiresAtMs: null,
    ipRegistered: null,
    ipCount: null,
    maxIps: null,
    version: null,
    versionValid: null,
    effect: "none",
    firstUse: false,
  };
}
