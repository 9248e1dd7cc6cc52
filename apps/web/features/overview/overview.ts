import type { Answer } from "../../api/client.ts";
import type { ChartBar } from "../../ui/bar-chart.tsx";

/** A day or a week of a trend. */
export type Bucket = Answer<"getLicenseTrend">["created"][number];

export function totalOf(buckets: readonly Bucket[]): number {
  return buckets.reduce((sum, { count }) => sum + count, 0);
}

/** The one with the most; of several alike the first. */
export function largestOf(buckets: readonly Bucket[]): Bucket | undefined {
  const most = Math.max(...buckets.map(({ count }) => count));
  return buckets.find(({ count }) => count === most);
}

export function barsOf(buckets: readonly Bucket[], titleOf: (bucket: Bucket) => string): readonly ChartBar[] {
  return buckets.map((bucket) => ({
    key: bucket.from,
    title: titleOf(bucket),
    parts: [{ value: bucket.count }],
  }));
}

/** With this many validated licenses an organization is not new, even if it has skipped steps. */
const notNewAnyMore = 100;
const firstDaysMs = 30 * 86_400_000;

/**
 * Whether an organization is too old for the first steps. Based on its age, so that it is the same in every browser and
 * does not change when something is deleted.
 */
export function isPastFirstDays(createdAt: string, nowMs: number): boolean {
  return nowMs - Date.parse(createdAt) > firstDaysMs;
}

/** Whether an organization has finished the first steps; undefined until known. */
export function areStepsDone(
  steps: readonly { readonly isDone: boolean | undefined }[],
  usedLicenses: number,
): boolean | undefined {
  if (usedLicenses >= notNewAnyMore) return true;
  if (steps.some(({ isDone }) => isDone === undefined)) return undefined;
  return steps.every(({ isDone }) => isDone === true);
}

/** Consecutive entries of one kind as one: the newest, and their number. */
export interface Run<T> {
  readonly newest: T;
  readonly count: number;
  /** There may be more entries beyond the end of the list. */
  readonly isCut: boolean;
}

/** Groups entries, so that a busy hour does not fill the list. */
export function groupRepeats<T>(page: Page<T> | undefined, kindOf: (one: T) => string): Run<T>[] {
  const runs: Run<T>[] = [];
  if (page === undefined) return runs;
  for (const one of page.data) {
    const last = runs.at(-1);
    if (last !== undefined && kindOf(last.newest) === kindOf(one))
      runs[runs.length - 1] = { ...last, count: last.count + 1 };
    else runs.push({ newest: one, count: 1, isCut: false });
  }
  const oldest = runs.pop();
  if (oldest !== undefined) runs.push({ ...oldest, isCut: page.next_cursor !== null });
  return runs;
}

interface Page<T> {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
}

interface RefusalCount {
  readonly outcome: string;
  readonly count: number;
}

/** The outcomes that refused most validations, and the rarer ones. One that would be left alone is shown too. */
export function mostFrequentRefusals(
  outcomes: Readonly<Record<string, number>>,
  max: number,
): { readonly shown: readonly RefusalCount[]; readonly others: readonly RefusalCount[] } {
  const sorted = Object.entries(outcomes)
    .filter(([outcome, count]) => outcome !== "active" && count > 0)
    .map(([outcome, count]) => ({ outcome, count }))
    .sort((a, b) => b.count - a.count);
  const end = sorted.length === max + 1 ? max + 1 : max;
  return { shown: sorted.slice(0, end), others: sorted.slice(end) };
}
