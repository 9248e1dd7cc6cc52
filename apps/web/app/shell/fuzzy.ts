/**
 * How well a search text matches a name: 0 if its letters do not all occur in order, higher the earlier and the closer
 * together they are. "nl" finds "New license", "cstmr" finds "Customers".
 */
export function fuzzyScore(typed: string, name: string): number {
  const wanted = plain(typed);
  const text = plain(name);
  if (wanted === "") return 1;
  const at = text.indexOf(wanted);
  if (at >= 0) return at === 0 ? 4 : text[at - 1] === " " ? 3 : 2;
  let from = 0;
  let jumps = 0;
  for (const letter of wanted.replaceAll(" ", "")) {
    const found = text.indexOf(letter, from);
    if (found < 0) return 0;
    if (found > from) jumps += 1;
    from = found + 1;
  }
  return 1 / (1 + jumps);
}

/** Ignores accents and case. */
function plain(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().trim();
}
