import { parseVersionRecord, patternKey } from "@countersign/domain/versions/catalog";
import { type ProductVersion, states, type VersionState } from "../products/frame/use-versions.ts";

interface VersionRecord {
  readonly version: string;
  readonly state: VersionState;
}

interface LineFault {
  readonly line: number;
  readonly kind: "version" | "state" | "duplicate" | "latest";
}

interface VersionLines {
  readonly records: readonly VersionRecord[];
  readonly faults: readonly LineFault[];
}

/** Parses a list with a version and its state on each line; the default state is allowed. */
export function readLines(text: string): VersionLines {
  const records: VersionRecord[] = [];
  const faults: LineFault[] = [];
  const seen = new Set<string>();
  for (const [index, written] of text.split("\n").entries()) {
    if (written.trim() === "") continue;
    const read = readLine(written);
    const kind = typeof read === "string" ? read : conflict(read, records, seen);
    if (kind !== null) faults.push({ line: index + 1, kind });
    else if (typeof read !== "string") {
      seen.add(meaning(read.version));
      records.push(read);
    }
  }
  return { records, faults };
}

function readLine(written: string): VersionRecord | "version" | "state" {
  const [version = "", word = "allowed", ...rest] = written.trim().split(/[\s,;]+/);
  if (parseVersionRecord(version) === null) return "version";
  const state = states.find((known) => known === word.toLowerCase());
  return state === undefined || rest.length > 0 ? "state" : { version, state };
}

function conflict(
  record: VersionRecord,
  before: readonly VersionRecord[],
  seen: ReadonlySet<string>,
): "duplicate" | "latest" | null {
  if (seen.has(meaning(record.version))) return "duplicate";
  const isSecond = record.state === "latest" && before.some(({ state }) => state === "latest");
  return isSecond ? "latest" : null;
}

export function writeLines(versions: readonly ProductVersion[]): string {
  return versions.map(({ version, state }) => `${version} ${state}`).join("\n");
}

/** How many entries would be added, removed or changed. */
export function differences(before: readonly VersionRecord[], after: readonly VersionRecord[]) {
  const stateBy = (records: readonly VersionRecord[]) =>
    new Map(records.map(({ version, state }) => [meaning(version), state]));
  const [old, next] = [stateBy(before), stateBy(after)];
  return {
    added: [...next.keys()].filter((key) => !old.has(key)).length,
    removed: [...old.keys()].filter((key) => !next.has(key)).length,
    changed: [...next].filter(([key, state]) => old.has(key) && old.get(key) !== state).length,
  };
}

function meaning(version: string): string {
  const pattern = parseVersionRecord(version);
  return pattern === null ? version : patternKey(pattern);
}
