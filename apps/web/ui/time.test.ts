import { expect, test } from "bun:test";
import { shortDate } from "./time.tsx";
import { endMs, fromEnd, toEnd } from "./time-fields.tsx";

test("a date in a list is written as is usual in the language", () => {
  const dates = ["en", "de", "es"].map((language) => shortDate("2027-11-20T12:00:00Z", language));
  expect(dates).toEqual(["Nov 20, 2027", "20.11.2027", "20 nov 2027"]);
});

test("an end is shown as a day or as a time of the organization's zone, goes back as such, and nothing else is one", () => {
  const zone = "America/New_York";
  expect(toEnd("2031-01-03T04:59:59.999Z", zone)).toBe("2031-01-02");
  expect(fromEnd("2031-01-02", zone)).toBe("2031-01-02");
  expect(endMs("2031-01-02", zone)).toBe(Date.parse("2031-01-03T04:59:59.999Z"));
  expect(toEnd("2031-01-03T01:30:00.000Z", zone)).toBe("2031-01-02T20:30");
  expect(fromEnd("2031-01-02T20:30", zone)).toBe("2031-01-03T01:30:00.000Z");
  for (const value of ["", "T20:30", "2031-02-30", "20310-01-01"])
    expect([value, fromEnd(value, zone)]).toEqual([value, null]);
  expect(toEnd(null, zone)).toBe("");
});
