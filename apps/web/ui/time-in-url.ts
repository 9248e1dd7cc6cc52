/** A time from the URL, or undefined if it is not valid. In its own file because every page loads it. */
export function timeInUrl(value: unknown): string | undefined {
  return typeof value === "string" && !Number.isNaN(Date.parse(value)) ? value : undefined;
}
