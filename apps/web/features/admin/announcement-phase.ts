interface Span {
  readonly starts_at: string;
  readonly ends_at: string | null;
}

/** Whether an announcement is shown now, will be, or was. */
export function phaseOf({ starts_at, ends_at }: Span, nowMs: number): "planned" | "shown" | "over" {
  if (ends_at !== null && Date.parse(ends_at) <= nowMs) return "over";
  return Date.parse(starts_at) > nowMs ? "planned" : "shown";
}
