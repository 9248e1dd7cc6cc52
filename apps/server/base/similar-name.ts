/** The known name that was probably meant: at most three letters differ, fewer in a short name. Underscores do not count. */
export function similarName(written: string, names: Iterable<string>): string | null {
  const compact = written.replaceAll("_", "");
  const limit = Math.min(3, Math.floor(compact.length / 3));
  let best: { readonly name: string; readonly changes: number } | null = null;
  for (const name of names) {
    const changes = editDistance(compact, name.replaceAll("_", ""));
    if (changes <= limit && changes < (best?.changes ?? limit + 1)) best = { name, changes };
  }
  return best?.name ?? null;
}

/** How many letters must be inserted, removed, replaced or swapped with the next to get the other text. */
function editDistance(one: string, other: string): number {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (const [column, compared] of [...other].entries()) {
      const replaced = (row[column] ?? 0) + (letter === compared ? 0 : 1);
      const isSwap = letter === other[column - 1] && compared === one[index - 1];
      const swapped = isSwap ? (before[column - 1] ?? 0) + 1 : replaced;
      next.push(Math.min(replaced, swapped, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row.at(-1) ?? 0;
}
