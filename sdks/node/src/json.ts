/** No Countersign response is nested deeper. The limit protects the stack of whatever reads the value. */
const maxLevels = 100;

/** An object, from text; null for anything else. */
export function parsed(body: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(body);
    return isRecord(value) && !isDeeper(value, maxLevels) ? value : null;
  } catch {
    return null;
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return levels < 0;
  return levels < 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

export function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

export function number(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

export function time(value: unknown): Date | null {
  const date = typeof value === "string" ? new Date(value) : null;
  return date === null || Number.isNaN(date.getTime()) ? null : date;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
