type Counts = ReadonlyMap<string, number>;

/** What was counted in a range or in the period before: most in the range first, then most before. */
export function mostCounted(now: Counts, before: Counts): string[] {
  const of = (counts: Counts, key: string) => counts.get(key) ?? 0;
  return [...new Set([...now.keys(), ...before.keys()])].sort(
    (a, b) => of(now, b) - of(now, a) || of(before, b) - of(before, a) || (a < b ? -1 : 1),
  );
}
