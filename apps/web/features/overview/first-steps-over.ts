/** From so many licenses on that apps have validated, an organization is not new, whatever it left out. */
const notNewAnyMore = 100;

/** Whether the first steps are behind an organization; undefined until it is known. */
export function areOver(
  steps: readonly { readonly isDone: boolean | undefined }[],
  usedLicenses: number,
): boolean | undefined {
  if (usedLicenses >= notNewAnyMore) return true;
  if (steps.some(({ isDone }) => isDone === undefined)) return undefined;
  return steps.every(({ isDone }) => isDone === true);
}
