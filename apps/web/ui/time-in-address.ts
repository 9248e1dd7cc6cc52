/** A time as it came in an address, or nothing where it is none. Apart: every page loads what routes need. */
export function timeInAddress(value: unknown): string | undefined {
  return typeof value === "string" && !Number.isNaN(Date.parse(value)) ? value : undefined;
}
