import { expect, test } from "bun:test";
import { forecastOf } from "./forecast.ts";

const at = "2026-11-17T17:40:00.000Z";

test.each([
  ["no limit", 50, null, null, null],
  ["no requests today", 0, 100, null, null],
  ["enough for today", 10, 100, null, null],
  ["reached before midnight UTC", 80, 100, at, "soon"],
  ["reached", 100, 100, at, "reached"],
  ["exceeded, after the limit was lowered", 120, 100, null, "reached"],
  ["nothing allowed", 0, 0, null, "reached"],
] as const)("%s", (_, used_today, daily_limit, runs_out_at, forecast) => {
  expect(forecastOf({ used_today, daily_limit, runs_out_at })).toBe(forecast);
});
