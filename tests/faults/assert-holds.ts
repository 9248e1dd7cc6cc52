/**
 * Throws when a guarantee does not hold. Scenarios also run without a test runner, so they need their own assertion.
 */
export function holds(truth: boolean, otherwise: string): void {
  if (!truth) throw new Error(otherwise);
}

/** The same for a list of what is wrong, of which it names the first. */
export function holdsNone(wrong: readonly string[], otherwise: string): void {
  holds(wrong.length === 0, `${otherwise}: ${wrong.slice(0, 3).join("; ")}`);
}
