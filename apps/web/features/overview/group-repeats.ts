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
