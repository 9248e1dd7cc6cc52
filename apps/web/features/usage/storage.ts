const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

/** A number of bytes in the unit that keeps it short: 1234567 is 1.2 MB. */
export function storageText(bytes: number, language: string): string {
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1_000 ** power;
  return new Intl.NumberFormat(language, {
    style: "unit",
    unit: units[power] ?? "byte",
    maximumFractionDigits: power === 0 || value >= 100 ? 0 : 1,
  }).format(value);
}
