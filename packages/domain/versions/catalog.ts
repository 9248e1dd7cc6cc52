import {
  compareVersions,
  maxVersionLength,
  parseVersion,
  readParts,
  startOfParts,
  type Version,
  versionKey,
} from "./version.ts";

export type VersionState = "allowed" | "deprecated" | "latest" | "blocked";

export type VersionRecordPattern =
  | { readonly kind: "exact"; readonly text: string; readonly version: Version }
  | {
      readonly kind: "line";
      readonly text: string;
      /** The lowest version of the line, before even its first release. */
      readonly floor: Version;
      /** The number of fixed parts: two in `2.1.x`. */
      readonly depth: 1 | 2 | 3;
    };

/** A product's version records, arranged so that the most specific one is found first. */
export class VersionCatalog {
  static from(records: Iterable<{ version: string; state: VersionState }>): VersionCatalog {
    const byKey = new Map<string, CatalogRecord>();
    for (const { version, state } of records) {
      const pattern = parseVersionRecord(version);
      if (pattern === null) continue;
      const key = patternKey(pattern);
      // `2.1` and `2.1.0` are the same version: if they contradict each other, the rejection wins.
      if (state === "blocked" || !byKey.has(key)) byKey.set(key, { pattern, state });
    }
    return new VersionCatalog(byKey);
  }

  readonly #byKey: ReadonlyMap<string, CatalogRecord>;
  readonly #depths: readonly number[];
  readonly #newestFirst: readonly VersionRecordPattern[];
  readonly #newestVersions: readonly VersionRecordPattern[];

  private constructor(byKey: ReadonlyMap<string, CatalogRecord>) {
    const records = [...byKey.values()];
    this.#byKey = byKey;
    this.#depths = [3, 2, 1].filter((depth) => records.some(({ pattern }) => depthOf(pattern) === depth));
    this.#newestFirst = records
      .filter(({ state }) => state !== "blocked")
      .map(({ pattern }) => pattern)
      .sort(newestFirst);
    this.#newestVersions = this.#newestFirst.filter(({ kind }) => kind === "exact");
  }

  stateOf(version: Version): VersionState | "missing" {
    const exact = this.#byKey.get(versionKey(version));
    if (exact !== undefined) return exact.state;
    for (const depth of this.#depths) {
      const line = this.#byKey.get(lineKey(version, depth));
      if (line !== undefined) return line.state;
    }
    return "missing";
  }

  /**
   * The newest version, as written, that is not blocked, from `min` on, for which `isBelow` holds. A line is none: apps
   * parse it. Many validations need this, so it never scans a list.
   */
  newestVersion(min: Version | null, isBelow: (version: Version) => boolean): string | null {
    const newest = firstBelow(this.#newestVersions, isBelow);
    if (newest === undefined) return null;
    return min === null || compareVersions(floorOf(newest), min) >= 0 ? newest.text : null;
  }

  /**
   * The newest record, as written, that is not blocked and contains a version from `min` on for which `isBelow` holds:
   * a version or a line, for people to read. Of the records that start before `min`, only the lines that contain it can
   * hold such a version.
   */
  newestRecord(min: Version | null, isBelow: (version: Version) => boolean): string | null {
    const first = firstBelow(this.#newestFirst, isBelow);
    if (first === undefined) return null;
    if (min === null || compareVersions(floorOf(first), min) >= 0) return first.text;
    if (!isBelow(min)) return null;
    for (const depth of this.#depths) {
      const line = this.#byKey.get(lineKey(min, depth));
      if (line !== undefined && line.state !== "blocked") return line.pattern.text;
    }
    return null;
  }
}

export function parseVersionRecord(text: string): VersionRecordPattern | null {
  if (text.length > maxVersionLength) return null;
  const trimmed = text.trim();
  const version = parseVersion(trimmed);
  if (version !== null) return { kind: "exact", text: trimmed, version };

  const parts = trimmed.slice(startOfParts(trimmed)).split(".");
  const depth = parts.findIndex(isAnyPart);
  if (!isLineDepth(depth) || parts.length > 4 || !parts.slice(depth).every(isAnyPart)) return null;
  const fixed = parts.slice(0, depth).join(".");
  const fixedParts = readParts(fixed, 0, fixed.length);
  if (fixedParts === null) return null;
  return { kind: "line", text: trimmed, floor: { parts: fixedParts, prerelease: [0] }, depth };
}

/** The first of the records, which are sorted, that starts at a version for which this holds. */
function firstBelow(
  newestFirst: readonly VersionRecordPattern[],
  isBelow: (version: Version) => boolean,
): VersionRecordPattern | undefined {
  let low = 0;
  let high = newestFirst.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const record = newestFirst[middle];
    if (record !== undefined && isBelow(floorOf(record))) high = middle;
    else low = middle + 1;
  }
  return newestFirst[low];
}

interface CatalogRecord {
  readonly pattern: VersionRecordPattern;
  readonly state: VersionState;
}

function isAnyPart(part: string): boolean {
  return part === "x" || part === "X" || part === "*";
}

function isLineDepth(depth: number): depth is 1 | 2 | 3 {
  return depth >= 1 && depth <= 3;
}

/**
 * Equal for two records exactly if they cover the same versions, as `2.1` and `v2.1.0` do. An exact version has all
 * four parts, so a key of one to three can only be a line.
 */
export function patternKey(pattern: VersionRecordPattern): string {
  return pattern.kind === "exact" ? versionKey(pattern.version) : lineKey(pattern.floor, pattern.depth);
}

function lineKey({ parts }: Version, depth: number): string {
  if (depth === 1) return `${parts[0]}`;
  return depth === 2 ? `${parts[0]}.${parts[1]}` : `${parts[0]}.${parts[1]}.${parts[2]}`;
}

function depthOf(pattern: VersionRecordPattern): number {
  return pattern.kind === "exact" ? 4 : pattern.depth;
}

/** A line sorts by its lowest version, so an exact version inside it comes before the line. */
export function newestFirst(a: VersionRecordPattern, b: VersionRecordPattern): number {
  return compareVersions(floorOf(b), floorOf(a)) || depthOf(b) - depthOf(a);
}

function floorOf(pattern: VersionRecordPattern): Version {
  return pattern.kind === "exact" ? pattern.version : pattern.floor;
}
