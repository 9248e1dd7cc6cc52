import { VersionCatalog } from "@countersign/domain/versions/catalog";
import { parseVersion } from "@countersign/domain/versions/version";
import type { ProductVersion } from "../products/frame/use-versions.ts";

type Entry = Pick<ProductVersion, "version" | "state">;

/**
 * Whether versions that pass now are refused after an entry is blocked or removed. Exact for a single version, assumed
 * for a whole line.
 */
export function rejectsPassing(versions: readonly Entry[], entry: Entry, isGone: boolean): boolean {
  if (entry.state === "blocked") return false;
  const version = parseVersion(entry.version);
  if (!isGone || version === null) return true;
  const rest = VersionCatalog.from(versions.filter((other) => other.version !== entry.version));
  return ["blocked", "missing"].includes(rest.stateOf(version));
}

/** Whether no other version passes. */
export function isLastPassing(versions: readonly Entry[], entry: Entry): boolean {
  return versions.every((other) => other.version === entry.version || other.state === "blocked");
}
