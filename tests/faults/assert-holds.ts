/** Throws when what must hold does not. Scenarios also run outside a test runner, so they bring their own. */
export function holds(truth: boolean, otherwise: string): void {
  if (!truth) throw new Error(otherwise);
}
