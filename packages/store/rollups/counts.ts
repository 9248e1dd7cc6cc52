/** Numbers of requests by something. */
export type Counts = Map<string, number>;

export function addTo(counts: Counts, key: string, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}

/** Sums up all but the largest as `rest`, which does not count as one of them. The result does not depend on the order. */
export function keepMost(counts: Counts, most: number, rest: string): void {
  if (counts.size <= most) return;
  const byCount = [...counts]
    .filter(([key]) => key !== rest)
    .sort(([keyA, a], [keyB, b]) => b - a || (keyA < keyB ? -1 : 1));
  for (const [key, count] of byCount.slice(most)) {
    counts.delete(key);
    addTo(counts, rest, count);
  }
}

/** As it is stored: a JSON object, sorted by key. */
export function countsText(counts: ReadonlyMap<string, number>): string {
  if (counts.size === 0) return "{}";
  return JSON.stringify(Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1))));
}

/** Adds what `countsText` wrote. */
export function addText(counts: Counts, text: string): void {
  if (text === "{}") return;
  for (const [key, count] of Object.entries(JSON.parse(text) as Record<string, number>))
    addTo(counts, key, count);
}
