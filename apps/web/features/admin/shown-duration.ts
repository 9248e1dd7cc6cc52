const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
] as const;

/** A duration in its largest unit. */
export function shownDuration(ms: number, language: string): string {
  const [unit, length] = units.find(([, most]) => ms >= most) ?? (["millisecond", 1] as const);
  return new Intl.NumberFormat(language, {
    style: "unit",
    unit,
    unitDisplay: "long",
    maximumFractionDigits: 1,
  }).format(ms / length);
}
