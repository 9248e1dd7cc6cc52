/** What stands together in a list and is alike, as one entry: its newest, and how many there are. */
export interface Run<T> {
  readonly newest: T;
  readonly count: number;
}

/** A busy hour is one line and not the whole list. */
export function runsOf<T>(list: readonly T[], kindOf: (one: T) => string): Run<T>[] {
  const runs: Run<T>[] = [];
  for (const one of list) {
    const last = runs.at(-1);
    if (last !== undefined && kindOf(last.newest) === kindOf(one))
      runs[runs.length - 1] = { ...last, count: last.count + 1 };
    else runs.push({ newest: one, count: 1 });
  }
  return runs;
}
