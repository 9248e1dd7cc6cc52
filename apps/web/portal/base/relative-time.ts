const units = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/** Such as "3 days ago". Past units count when they are complete. */
export function relativeTime(at: string, nowMs: number, language: string): string {
  const seconds = (Date.parse(at) - nowMs) / 1_000;
  const format = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  for (const [unit, length] of units)
    if (Math.abs(seconds) >= length) {
      const count = seconds / length;
      return format.format(count < 0 ? Math.trunc(count) : Math.round(count), unit);
    }
  return format.format(0, "second");
}
