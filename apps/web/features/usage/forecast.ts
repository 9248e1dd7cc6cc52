import type { Item } from "../../api/client.ts";

type Usage = Pick<Item<"listProductUsage">, "used_today" | "daily_limit" | "runs_out_at">;

/** Whether today's limit has been reached, will be at today's pace, or not. Null without a limit or requests. */
export function forecastOf(usage: Usage): "reached" | "soon" | "enough" | null {
  const { used_today: used, daily_limit: limit, runs_out_at: runsOutAt } = usage;
  if (limit === null) return null;
  if (used >= limit) return "reached";
  if (runsOutAt !== null) return "soon";
  return used === 0 ? null : "enough";
}
