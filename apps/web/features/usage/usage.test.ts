import { expect, test } from "bun:test";
import { clockTime, forecastOf, resetTime, storageText, utcDay } from "./figures.ts";

const midnight = "2026-11-18T00:00:00.000Z";
const at = "2026-11-17T17:40:00.000Z";

test.each([
  ["does not exist", 50, null, null, null],
  ["has no requests today", 0, 100, null, null],
  ["is enough for today", 10, 100, null, null],
  ["is reached before midnight UTC", 80, 100, at, "soon"],
  ["is reached", 100, 100, at, "reached"],
  ["is exceeded after it was lowered", 120, 100, null, "reached"],
  ["allows nothing", 0, 0, null, "reached"],
] as const)("a limit that %s has the right forecast", (_, used_today, daily_limit, runs_out_at, forecast) => {
  expect(forecastOf({ used_today, daily_limit, runs_out_at })).toBe(forecast);
});

test.each([
  [0, "0 byte"],
  [999, "999 byte"],
  [1_000, "1 kB"],
  [1_234_567, "1.2 MB"],
  [256_400_000, "256 MB"],
  [7_300_000_000, "7.3 GB"],
  [2_000_000_000_000_000, "2,000 TB"],
])("%d bytes are shown as %s", (bytes, text) => expect(storageText(bytes, "en")).toBe(text));

test("midnight UTC is shown on the reader's clock, and a day of the history is a UTC day", () => {
  expect(clockTime(midnight, "de", "Europe/Berlin")).toBe("01:00");
  expect(clockTime(midnight, "en", "America/New_York")).toMatch(/^7:00\sPM$/);
  expect(resetTime(midnight, "de", "Europe/Berlin")).toBe("01:00 MEZ");
  expect(utcDay(Date.parse(midnight), "en")).toBe("Nov 18, 2026");
});
