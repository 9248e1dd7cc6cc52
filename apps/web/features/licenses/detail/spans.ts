import { daySeconds } from "@countersign/domain/dates/lengths";

/** A localized duration: in days if it is whole days, otherwise in hours. */
export function spanText(seconds: number, language: string): string {
  const days = seconds / daySeconds;
  const [amount, unit] = Number.isInteger(days) ? [days, "day"] : [Math.round(seconds / 360) / 10, "hour"];
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(Number(amount));
}

export function inDays(seconds: number): number {
  return Math.round((seconds / daySeconds) * 100) / 100;
}

export function inSeconds(days: number): number {
  return Math.round(days * daySeconds);
}
