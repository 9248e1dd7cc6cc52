import { VersionCatalog, type VersionState } from "./catalog.ts";

/** A catalog for tests: states by version. */
export function catalogOf(states: Record<string, VersionState>): VersionCatalog {
  return VersionCatalog.from(Object.entries(states).map(([version, state]) => ({ version, state })));
}
