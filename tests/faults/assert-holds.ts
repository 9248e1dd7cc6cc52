/**
 * Throws when a guarantee does not hold. Scenarios also run without a test runner, so they need their own assertion.
 */
export function holds(truth: boolean, otherwise: string): void {
  if (!truth) throw new Error(otherwise);
}
