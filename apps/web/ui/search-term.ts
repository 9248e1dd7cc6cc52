/** The server's minimum length of a search term. */
export const minTermLength = 3;

export function termOf(q: string | undefined): string | undefined {
  const term = q?.trim() ?? "";
  return [...term].length >= minTermLength ? term : undefined;
}
