import { expect, test } from "bun:test";
import { clockTime, resetTime, utcDay } from "./times.ts";

const midnight = "2026-11-18T00:00:00.000Z";

test("midnight UTC is shown on the reader's clock", () => {
  expect(clockTime(midnight, "de", "Europe/Berlin")).toBe("01:00");
  expect(clockTime(midnight, "en", "America/New_York")).toMatch(/^7:00\sPM$/);
  expect(resetTime(midnight, "de", "Europe/Berlin")).toBe("01:00 MEZ");
});

test("a day of the history is a UTC day", () =>
  expect(utcDay(Date.parse(midnight), "en")).toBe("Nov 18, 2026"));
