import { expect, test } from "bun:test";
import { endMs, fromEnd, toEnd } from "./end-value.ts";

const zone = "America/New_York";

test("the end of a day is shown as the day, and goes back as the day", () => {
  expect(toEnd("2031-01-03T04:59:59.999Z", zone)).toBe("2031-01-02");
  expect(fromEnd("2031-01-02", zone)).toBe("2031-01-02");
  expect(endMs("2031-01-02", zone)).toBe(Date.parse("2031-01-03T04:59:59.999Z"));
});

test("any other time is shown in the organization's zone, and goes back as a moment", () => {
  expect(toEnd("2031-01-03T01:30:00.000Z", zone)).toBe("2031-01-02T20:30");
  expect(fromEnd("2031-01-02T20:30", zone)).toBe("2031-01-03T01:30:00.000Z");
});

test.each(["", "T20:30", "2031-02-30", "20310-01-01"])("%j is no end yet", (value) => {
  expect(fromEnd(value, zone)).toBeNull();
});

test("nothing is shown for what has no end", () => expect(toEnd(null, zone)).toBe(""));
