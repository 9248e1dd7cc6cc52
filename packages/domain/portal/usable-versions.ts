import type { VersionCatalog } from "../versions/catalog.ts";
import { gateVersion, newestRecord, type VersionPin } from "../versions/gate.ts";
import { compareVersions, parseVersion } from "../versions/version.ts";

/** The newest version or line that a license can use, as the seller wrote it, for people to read; null if there is none. */
export function newestUsable(catalog: VersionCatalog, pin: VersionPin): string | null {
  if (pin?.mode !== "pinned") return newestRecord(catalog, pin);
  return gateVersion(catalog, pin, pin.version).versionValid === true ? pin.version : null;
}

/** Whether a license can use this version or a newer one. */
export function canUseFrom(catalog: VersionCatalog, pin: VersionPin, version: string): boolean {
  const from = parseVersion(version);
  if (from === null) return false;
  if (pin === null) return newestUsable(catalog, { mode: "range", min: version, max: null }) !== null;
  if (pin.mode === "pinned") {
    const pinned = parseVersion(pin.version);
    return pinned !== null && compareVersions(pinned, from) >= 0 && newestUsable(catalog, pin) !== null;
  }
  const min = pin.min === null ? null : parseVersion(pin.min);
  // A pin that cannot be parsed allows nothing.
  if (pin.min !== null && min === null) return false;
  const isHigher = min === null || compareVersions(from, min) > 0;
  return newestUsable(catalog, { ...pin, min: isHigher ? version : pin.min }) !== null;
}
