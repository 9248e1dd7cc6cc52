import type { RequestKeyRow, RequestLogRow } from "../tables/journal.ts";

/**
 * The keys of a segment: in which milliseconds an organization, a license or an IP address occurs. An organization has a
 * row of its own. Licenses and IP addresses are many and mostly occur once, and a row for each would take longer to write
 * than the log itself: 256 rows have all of them, divided by a hash. Two keys with the same hash are not told apart, so
 * a search checks the rows that it finds at these times.
 */
export type KeyKind = RequestKeyRow["kind"];

/** For a key with more rows, reading the whole segment is as fast. */
export const maxTimes = 1_000;

const buckets = 256;

/** The value of the column `key` in the row that has this key, if the segment has it. */
export function keyColumn(kind: KeyKind, key: string): string {
  return kind === "o" ? key : bucketOf(hash(key));
}

/** What `ats` contains in the row that `keyColumn` names if the key, a license or an IP address, occurs in the segment. */
export function keyMark(key: string): string {
  return `;${labelOf(hash(key))}:`;
}

/** The key of an IP address within an organization. */
export function ipKey(organizationId: string, ip: string): string {
  return `${organizationId} ${ip}`;
}

/**
 * When a key occurs, in milliseconds since the start of the segment, ascending, from the row that `keyColumn` names. Null
 * if that is often, so that the whole segment should be read; undefined if it does not occur.
 */
export function timesOfKey(
  { ats }: Pick<RequestKeyRow, "ats">,
  kind: KeyKind,
  key: string,
): number[] | null | undefined {
  if (kind === "o") return ats === null ? null : numbers(ats);
  const mark = keyMark(key);
  const at = ats?.indexOf(mark) ?? -1;
  if (ats === null || at === -1) return undefined;
  const start = at + mark.length;
  const end = ats.indexOf(";", start);
  return timesFrom(ats.slice(start, end === -1 ? undefined : end));
}

/** The keys of the rows of one segment, in the order of their table. The rows are sorted by time. */
export function keysIn(rows: readonly RequestLogRow[], fromAt: number): RequestKeyRow[] {
  const organizations = new Map<string, Occurrences>();
  const [ips, licenses] = [new Map<number, Occurrence>(), new Map<number, Occurrence>()];
  for (const { at, organization_id, license_id, ip } of rows) {
    const time = at - fromAt;
    let organization = organizations.get(organization_id);
    if (organization === undefined) {
      organization = { count: 0, times: [], prefix: hash(`${organization_id} `) };
      organizations.set(organization_id, organization);
    }
    add(organization, time);
    note(ips, hash(ip, organization.prefix), time);
    if (license_id !== null) note(licenses, hash(license_id), time);
  }
  return [
    ...bucketRows(fromAt, "i", ips),
    ...bucketRows(fromAt, "l", licenses),
    ...[...organizations.keys()].sort().map((key): RequestKeyRow => {
      const { count, times } = organizations.get(key) as Occurrences;
      return { from_at: fromAt, kind: "o", key, count, ats: times?.join() ?? null };
    }),
  ];
}

/** Two rows with the same key of one segment, as one. */
export function mergeKeys(one: RequestKeyRow, other: RequestKeyRow): RequestKeyRow {
  const count = one.count + other.count;
  if (one.kind === "o") {
    const isMany = one.ats === null || other.ats === null;
    const times = isMany ? null : union(numbers(one.ats ?? ""), numbers(other.ats ?? ""));
    return { ...one, count, ats: times?.join() ?? null };
  }
  const merged = labelled(one);
  for (const [label, times] of labelled(other)) {
    const known = merged.get(label);
    merged.set(label, known === undefined ? times : union(known, times));
  }
  return { ...one, count, ats: [...merged].map(([label, times]) => entry(label, times)).join("") };
}

/** What a row of licenses or IP addresses contains, by label. */
export function labelled({ ats }: Pick<RequestKeyRow, "ats">): Map<string, number[] | null> {
  const entries = (ats ?? "").split(";").slice(1);
  return new Map(
    entries.map((text) => {
      const [label = "", times = ""] = text.split(":");
      return [label, timesFrom(times)];
    }),
  );
}

/** Most keys occur once: then it is just the time. */
type Occurrence = number | Occurrences;

interface Occurrences {
  count: number;
  /** Distinct and ascending; null if there are many. */
  times: number[] | null;
  /** Of an organization: the hash with which those of its IP addresses begin. */
  readonly prefix: number;
}

function note(occurrences: Map<number, Occurrence>, key: number, time: number): void {
  const known = occurrences.get(key);
  if (known === undefined) {
    occurrences.set(key, time);
  } else if (typeof known === "number") {
    occurrences.set(key, { count: 2, times: known === time ? [time] : [known, time], prefix: 0 });
  } else {
    add(known, time);
  }
}

function add(known: Occurrences, time: number): void {
  known.count += 1;
  if (known.times === null || known.times.at(-1) === time) return;
  if (known.times.length === maxTimes) known.times = null;
  else known.times.push(time);
}

function bucketRows(
  fromAt: number,
  kind: KeyKind,
  occurrences: ReadonlyMap<number, Occurrence>,
): RequestKeyRow[] {
  const texts: string[] = Array(buckets).fill("");
  const counts: number[] = Array(buckets).fill(0);
  for (const [key, occurrence] of occurrences) {
    const bucket = key % buckets;
    const isSingle = typeof occurrence === "number";
    texts[bucket] += entry(labelOf(key), isSingle ? occurrence : occurrence.times);
    counts[bucket] = (counts[bucket] ?? 0) + (isSingle ? 1 : occurrence.count);
  }
  return texts.flatMap((ats, bucket) =>
    ats === "" ? [] : [{ from_at: fromAt, kind, key: bucketOf(bucket), count: counts[bucket] ?? 0, ats }],
  );
}

function entry(label: string, times: number | number[] | null): string {
  return `;${label}:${times === null ? many : times}`;
}

const many = "*";

function timesFrom(text: string): number[] | null {
  return text === many ? null : numbers(text);
}

function numbers(text: string): number[] {
  return text.split(",").map(Number);
}

function union(one: readonly number[] | null, other: readonly number[] | null): number[] | null {
  if (one === null || other === null) return null;
  const times = new Set([...one, ...other]);
  return times.size > maxTimes ? null : [...times].sort((a, b) => a - b);
}

function labelOf(key: number): string {
  return key.toString(36);
}

/** Two digits, so that they sort like numbers. */
function bucketOf(key: number): string {
  return (key % buckets).toString(16).padStart(2, "0");
}

/** All values that the column `key` has in rows of licenses and IP addresses. */
export const everyBucket: readonly string[] = Array.from({ length: buckets }, (_, at) => bucketOf(at));

/** FNV-1a with 31 bits, which make a small integer; continued from the hash of what precedes. */
function hash(text: string, before = 0x811c9dc5): number {
  let value = before;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value & 0x7fffffff;
}
