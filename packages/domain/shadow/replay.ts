import { type Cidr, isWithin, parseCidr } from "../ip/cidr.ts";
import { decide } from "../validate/decide.ts";
import type { CallerFacts, LicenseFacts, ProductFacts } from "../validate/facts.ts";
import type { Outcome } from "../validate/status.ts";
import { VersionCatalog, type VersionState } from "../versions/catalog.ts";
import type { VersionPin } from "../versions/gate.ts";

/** The valid requests of a license from one IP address with one version. */
export interface PastUse {
  /** As the log has it: for IPv6 usually the /64 network. */
  readonly ip: string;
  readonly version: string | null;
  readonly requests: number;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
}

export interface ReplayedLicense {
  /** Null if the license does not limit IP addresses. */
  readonly maxIps: number | null;
  readonly expiresAtMs: number | null;
  readonly pin: VersionPin;
  /** How many IP addresses had been registered when the replayed time starts. */
  readonly slotsBefore: number;
  /** When the IP addresses in `uses` were registered, of those that still are. */
  readonly registeredAtMs: ReadonlyMap<string, number>;
  readonly uses: readonly PastUse[];
}

export interface RefusedUse extends PastUse {
  readonly status: Exclude<Outcome, "active">;
}

export interface Replay {
  readonly change: ShadowChange;
  readonly product: ProductFacts;
  /** The product's version records with the change, if it is about versions. */
  readonly changedVersions: VersionCatalog | null;
  readonly sinceMs: number;
}

/**
 * Which past uses of a license the change would have refused. Every use was valid at its time, so only the changed rule
 * is decided, and everything else passes.
 *
 * IP addresses that were registered before the replayed time keep their slots: a lower limit removes none. Others come
 * in the order of their first use. One that gets no slot at its first use gets none later, because no slot becomes free
 * in the replay, so that counts by IP address give the same result as single requests.
 */
export function replay(
  { change, product, changedVersions, sinceMs }: Replay,
  license: ReplayedLicense,
): RefusedUse[] {
  const passing = passingProduct(product);
  switch (change.type) {
    case "max_ips":
      return replayLimit(passing, license, change.max_ips, sinceMs);
    case "registration":
      return replayWithoutRegistration(passing, license);
    case "block_version":
    case "remove_version":
      return replayVersions(passing, license, product.versions, changedVersions);
    case "check_versions":
      return replayVersionChecks(passing, license, changedVersions);
    case "track_ips":
      return product.registration === "off"
        ? replayWithoutRegistration({ ...passing, trackIp: true }, license)
        : replaySlots({ ...passing, trackIp: true }, license, license.maxIps, sinceMs);
    case "enforce_expiry": {
      const expiring = { ...passingLicense, expiresAtMs: license.expiresAtMs };
      return refusedUses(license, (use) =>
        decided({ ...passing, expiryEnforced: true }, expiring, passingCaller, use),
      );
    }
    case "disable":
      return refusedUses(license, (use) =>
        decided({ ...passing, status: "disabled" }, passingLicense, passingCaller, use),
      );
    case "block_ip": {
      const cidr = blockedCidr(change.cidr);
      return refusedUses(license, (use) =>
        decided(passing, passingLicense, { ...passingCaller, blocked: isWithin(use.ip, cidr) }, use),
      );
    }
  }
}

function replayLimit(
  product: ProductFacts,
  license: ReplayedLicense,
  limit: number,
  sinceMs: number,
): RefusedUse[] {
  const { maxIps } = license;
  return maxIps === null || limit >= maxIps ? [] : replaySlots(product, license, limit, sinceMs);
}

function replaySlots(
  product: ProductFacts,
  { slotsBefore, registeredAtMs, uses }: ReplayedLicense,
  limit: number | null,
  sinceMs: number,
): RefusedUse[] {
  if (limit === null) return [];
  const refusedIps = new Map<string, Outcome>();
  let registered = slotsBefore;
  const inOrder = [...firstUses(uses)].sort(([, one], [, other]) => one - other);
  for (const [ip, atMs] of inOrder) {
    const caller = { ...passingCaller, registered: isRegisteredBefore(registeredAtMs, ip, sinceMs) };
    const license = { ...passingLicense, ips: { max: limit, registered } };
    const verdict = decide(product, license, caller, atMs);
    if (verdict.effect === "register_ip") registered += 1;
    refusedIps.set(ip, verdict.status);
  }
  return uses.flatMap((use) => refused(use, refusedIps.get(use.ip) ?? "active"));
}

/** Who was registered by a request of the replay would not have been. */
function replayWithoutRegistration(product: ProductFacts, license: ReplayedLicense): RefusedUse[] {
  const { maxIps, slotsBefore, registeredAtMs, uses } = license;
  const firsts = firstUses(uses);
  const ips = maxIps === null ? null : { max: maxIps, registered: slotsBefore };
  return refusedUses(license, (use) => {
    const firstAtMs = firsts.get(use.ip) ?? use.firstAtMs;
    const caller = { ...passingCaller, registered: isRegisteredBefore(registeredAtMs, use.ip, firstAtMs) };
    return decided({ ...product, registration: "off" }, { ...passingLicense, ips }, caller, use);
  });
}

function replayVersions(
  product: ProductFacts,
  license: ReplayedLicense,
  current: ProductFacts["versions"],
  changed: VersionCatalog | null,
): RefusedUse[] {
  if (current === null || changed === null) return [];
  return refusedUses(license, (use) => {
    const caller = { ...passingCaller, version: use.version };
    const before = decided({ ...product, versions: current }, passingLicense, caller, use);
    // A version that is refused today anyway is not refused by the change.
    if (before !== "active") return "active";
    const versions = { ...current, catalog: changed };
    return decided({ ...product, versions }, passingLicense, caller, use);
  });
}

/** The product is as if it had not checked versions before, so that the licenses' own versions count as well. */
function replayVersionChecks(
  product: ProductFacts,
  license: ReplayedLicense,
  catalog: VersionCatalog | null,
): RefusedUse[] {
  if (catalog === null) return [];
  const checked = { ...product, versions: { catalog, enforced: true } };
  const pinned = { ...passingLicense, pin: license.pin };
  return refusedUses(license, (use) =>
    decided(checked, pinned, { ...passingCaller, version: use.version }, use),
  );
}

function refusedUses({ uses }: ReplayedLicense, statusOf: (use: PastUse) => Outcome): RefusedUse[] {
  return uses.flatMap((use) => refused(use, statusOf(use)));
}

function decided(product: ProductFacts, license: LicenseFacts, caller: CallerFacts, use: PastUse): Outcome {
  return decide(product, license, caller, use.lastAtMs).status;
}

function refused(use: PastUse, status: Outcome): RefusedUse[] {
  return status === "active" ? [] : [{ ...use, status }];
}

function firstUses(uses: readonly PastUse[]): Map<string, number> {
  const firsts = new Map<string, number>();
  for (const { ip, firstAtMs } of uses)
    firsts.set(ip, Math.min(firsts.get(ip) ?? Number.POSITIVE_INFINITY, firstAtMs));
  return firsts;
}

/** A request that registers an IP address has the same time as the registration. */
function isRegisteredBefore(registeredAtMs: ReadonlyMap<string, number>, ip: string, atMs: number): boolean {
  const at = registeredAtMs.get(ip);
  return at !== undefined && at < atMs;
}

/** The product with every rule passing that the change does not concern. */
function passingProduct(product: ProductFacts): ProductFacts {
  return {
    ...product,
    deleted: false,
    status: "active",
    organizationSuspended: false,
    billing: "active",
    expiryEnforced: false,
    versions: null,
    custom: null,
  };
}

const passingLicense: LicenseFacts = {
  id: "",
  revoked: false,
  expiresAtMs: null,
  unused: null,
  ips: null,
  pin: null,
  custom: null,
};

const passingCaller: CallerFacts = { blocked: false, registered: true, version: null };

/** A change of a product that is tried against past requests before it is made. */
export type ShadowChange =
  | { readonly type: "max_ips"; readonly max_ips: number }
  | { readonly type: "registration"; readonly registration: "off" }
  | { readonly type: "track_ips" }
  | { readonly type: "block_version"; readonly version: string }
  | { readonly type: "remove_version"; readonly version: string }
  | { readonly type: "check_versions" }
  | { readonly type: "enforce_expiry" }
  | { readonly type: "disable" }
  | { readonly type: "block_ip"; readonly cidr: string };

/** Why a change refuses nothing with the product's settings. */
export const ineffectiveReasons = [
  "ip_not_checked",
  "registration_already_off",
  "only_first_ip_registered",
  "versions_not_checked",
  "versions_reported_only",
  "ips_already_tracked",
  "versions_already_checked",
  "expiry_already_enforced",
  "product_not_active",
] as const;

export type IneffectiveReason = (typeof ineffectiveReasons)[number];

/** Null if the change can refuse requests. */
export function ineffective(change: ShadowChange, product: ProductFacts): IneffectiveReason | null {
  switch (change.type) {
    case "max_ips":
      if (!product.trackIp) return "ip_not_checked";
      // The limit only decides whether another IP address is registered.
      if (product.registration === "off") return "registration_already_off";
      return product.registration === "first_only" ? "only_first_ip_registered" : null;
    case "registration":
      if (!product.trackIp) return "ip_not_checked";
      return product.registration === "off" ? "registration_already_off" : null;
    case "track_ips":
      return product.trackIp ? "ips_already_tracked" : null;
    case "check_versions":
      return product.versions?.enforced === true ? "versions_already_checked" : null;
    case "enforce_expiry":
      return product.expiryEnforced ? "expiry_already_enforced" : null;
    case "disable":
      return product.status === "active" ? null : "product_not_active";
    case "block_version":
    case "remove_version":
      if (product.versions === null) return "versions_not_checked";
      return product.versions.enforced ? null : "versions_reported_only";
    case "block_ip":
      return null;
  }
}

/** The product's version records with a change; null if it is not about versions. */
export function versionsWith(
  change: ShadowChange,
  records: readonly { readonly version: string; readonly state: VersionState }[],
): VersionCatalog | null {
  switch (change.type) {
    case "block_version":
      return VersionCatalog.from([...records, { version: change.version, state: "blocked" }]);
    case "remove_version":
      return VersionCatalog.from(records.filter(({ version }) => version !== change.version));
    case "check_versions":
      return VersionCatalog.from(records);
    default:
      return null;
  }
}

function blockedCidr(text: string): Cidr {
  const cidr = parseCidr(text);
  if (cidr === null) throw new Error(`${text} is no network.`);
  return cidr;
}
