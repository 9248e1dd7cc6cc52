import { exactUniques } from "@countersign/domain/analytics/unique-count";

/** The error of an estimated count, such as "±2.3 %"; null if it is exact. */
export function errorText(count: number, error: number, language: string): string | null {
  if (count <= exactUniques) return null;
  const percent = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 });
  return `±${percent.format(error)}`;
}
