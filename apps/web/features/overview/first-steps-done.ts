/** With this many validated licenses an organization is not new, even if it has skipped steps. */
const notNewAnyMore = 100;
const firstDaysMs = 30 * 86_400_000;

/**
 * Whether an organization is too old for the first steps. Based on its age, so that it is the same in every browser and
 * does not change when something is deleted.
 */
export function isPastFirstDays(createdAt: string, nowMs: number): boolean {
  return nowMs - Date.parse(createdAt) > firstDaysMs;
}

/** Whether an organization has finished the first steps; undefined until known. */
export function areStepsDone(
  steps: readonly { readonly isDone: boolean | undefined }[],
  usedLicenses: number,
): boolean | undefined {
  if (usedLicenses >= notNewAnyMore) return true;
  if (steps.some(({ isDone }) => isDone === undefined)) return undefined;
  return steps.every(({ isDone }) => isDone === true);
}
