import { expect, test } from "bun:test";
import { forecastOf } from "./forecast.ts";

const at = "2026-11-17T17:40:00.000Z";

test.each([
  ["no limit", { used_today: 50, daily_limit: null, runs_out_at: null }, null],
  ["no requests today", { used_today: 0, daily_limit: 100, runs_out_at: null }, null],
  ["enough for today", { used_today: 10, daily_limit: 100, runs_out_at: null }, null],
  ["reached before midnight UTC", { used_today: 80, daily_limit: 100, runs_out_at: at }, "soon"],
  ["reached", { used_today: 100, daily_limit: 100, runs_out_at: at }, "reached"],
  [
    "exceeded, after the limit was lowered",
    { used_today: 120, daily_limit: 100, runs_out_at: null },
    "reached",
  ],
  ["nothing allowed", { used_today: 0, daily_limit: 0, runs_out_at: null }, "reached"],
] as const)("%s", (_, usage, forecast) => {
  expect(forecastOf(usage)).toBe(forecast);
});
