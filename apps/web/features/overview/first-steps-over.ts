/** From so many licenses on that apps have validated, an organization is not new, whatever it left out. */
const notNewAnyMore = 100;
const firstDaysMs = 30 * 86_400_000;

/**
 * Whether an organization is too old for first steps. It is the same in every browser, and nothing that is deleted later
 * makes it new again.
 */
export function isPastFirstDays(createdAt: string, nowMs: number): boolean {
  return nowMs - Date.parse(createdAt) > firstDaysMs;
}

/** Whether the first steps are behind an organization; undefined until it is known. */
export function areOver(
  steps: readonly { readonly isDone: boolean | undefined }[],
  usedLicenses: number,
): boolean | undefined {
  if (usedLicenses >= notNewAnyMore) return true;
  if (steps.some(({ isDone }) => isDone === undefined)) return undefined;
  return steps.every(({ isDone }) => isDone === true);
}
