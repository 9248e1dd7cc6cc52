import { exactUniques } from "@countersign/domain/analytics/unique-count";

/** How much a figure changed, such as "+12 %"; null if the period before has nothing to compare with. */
export function changeText(now: number, before: number, language: string): string | null {
  if (before === 0) return null;
  const change = (now - before) / before;
  return new Intl.NumberFormat(language, {
    style: "percent",
    signDisplay: "exceptZero",
    maximumFractionDigits: Math.abs(change) < 0.1 ? 1 : 0,
  }).format(change);
}

/** The error of an estimated count, such as "±2.3 %"; null if it is exact. */
export function errorText(count: number, error: number, language: string): string | null {
  if (count <= exactUniques) return null;
  const percent = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 });
  return `±${percent.format(error)}`;
}
