/** The product's daily limit, after this request. */
export interface RateLimit {
  readonly limit: number;
  readonly remaining: number;
  /** Until the limit resets. */
  readonly resetSeconds: number;
}

/** From the headers `RateLimit-Policy` and `RateLimit`; null if one is missing or unreadable. */
export function readRateLimit(policyHeader: string | null, header: string | null): RateLimit | null {
  const limit = parameter(policyHeader, "q");
  const remaining = parameter(header, "r");
  const resetSeconds = parameter(header, "t");
  if (limit === null || remaining === null || resetSeconds === null) return null;
  return { limit, remaining, resetSeconds };
}

/** The value of a parameter, as in `"daily";q=10000;w=86400`. */
function parameter(header: string | null, name: string): number | null {
  for (const part of (header ?? "").split(";").slice(1)) {
    const [key = "", value = ""] = part.split("=");
    if (key.trim() === name) return /^[0-9]{1,15}$/.test(value.trim()) ? Number(value) : null;
  }
  return null;
}
