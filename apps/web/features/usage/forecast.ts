import type { Item } from "../../api/client.ts";

type Usage = Pick<Item<"listProductUsage">, "used_today" | "daily_limit" | "runs_out_at">;

/** Whether today's limit has been reached, or will be at today's pace. Null if not, or if it is too early to tell. */
export function forecastOf(usage: Usage): "reached" | "soon" | null {
  const { used_today: used, daily_limit: limit, runs_out_at: runsOutAt } = usage;
  if (limit === null) return null;
  if (used >= limit) return "reached";
  return runsOutAt === null ? null : "soon";
}
