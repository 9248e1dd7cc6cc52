const dayMs = 86_400_000;

/** How a past day is named: the days of the last week by their name, others by their date. */
type Since =
  | { readonly kind: "today" | "yesterday" }
  | { readonly kind: "weekday" | "date"; readonly day: string };

export function sinceOf(at: string, nowMs: number, language: string, timeZone?: string): Since {
  const days = Math.round((startOfDay(nowMs, timeZone) - startOfDay(Date.parse(at), timeZone)) / dayMs);
  if (days <= 0) return { kind: "today" };
  if (days === 1) return { kind: "yesterday" };
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(language, { ...options, timeZone }).format(new Date(at));
  return days < 7
    ? { kind: "weekday", day: format({ weekday: "long" }) }
    : { kind: "date", day: format({ day: "numeric", month: "long" }) };
}

/** The calendar day in a time zone, as midnight in UTC. */
function startOfDay(ms: number, timeZone: string | undefined): number {
  const parts = new Intl.DateTimeFormat("en-CA", { dateStyle: "short", timeZone }).format(new Date(ms));
  return Date.parse(`${parts}T00:00:00Z`);
}
