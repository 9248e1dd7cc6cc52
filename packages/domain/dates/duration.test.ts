import { expect, test } from "bun:test";
import { addDuration, nominalMs, parseDuration } from "./duration.ts";
import { dayMs } from "./lengths.ts";

test.each<[from: string, text: string, timeZone: string, to: string]>([
  ["2026-11-20T12:00:00.000Z", "P1Y", "UTC", "2027-11-20T12:00:00.000Z"],
  // Over a leap day a year has 366 days.
  ["2027-11-20T12:00:00.000Z", "P1Y", "UTC", "2028-11-20T12:00:00.000Z"],
  ["2028-02-29T12:00:00.000Z", "P1Y", "UTC", "2029-02-28T12:00:00.000Z"],
  ["2028-02-29T12:00:00.000Z", "P4Y", "UTC", "2032-02-29T12:00:00.000Z"],
  ["2027-01-31T12:00:00.000Z", "P1M", "UTC", "2027-02-28T12:00:00.000Z"],
  ["2027-12-31T12:00:00.000Z", "P2M", "UTC", "2028-02-29T12:00:00.000Z"],
  ["2027-12-31T12:00:00.000Z", "P1Y2M", "UTC", "2029-02-28T12:00:00.000Z"],
  ["2027-11-20T12:00:00.000Z", "P2W3D", "UTC", "2027-12-07T12:00:00.000Z"],
  // The end of a day stays one over a change of the clocks.
  ["2027-03-20T22:59:59.999Z", "P1M", "Europe/Berlin", "2027-04-20T21:59:59.999Z"],
  ["2027-10-20T21:59:59.999Z", "P30D", "Europe/Berlin", "2027-11-19T22:59:59.999Z"],
  // The 31st in Tokyo is the 30th in UTC.
  ["2027-01-30T20:00:00.000Z", "P1M", "Asia/Tokyo", "2027-02-27T20:00:00.000Z"],
  // 02:30 does not exist on that day.
  ["2027-02-28T01:30:00.000Z", "P1M", "Europe/Berlin", "2027-03-28T00:59:59.999Z"],
])("%s plus %s by the calendar of %s is %s", (from, text, timeZone, to) => {
  const duration = parseDuration(text);
  if (duration === null) throw new Error("no duration");
  expect(new Date(addDuration(Date.parse(from), duration, timeZone)).toISOString()).toBe(to);
});

test.each(["", "P", "1Y", "P0D", "P-1Y", "PT1H", "P1.5Y", "P1D1Y", "P101Y", "P99999D", "p1y", "P1Y "])(
  "%j is no duration",
  (text) => expect(parseDuration(text)).toBeNull(),
);

test("where no date is known a year has 365 days and a month 30", () =>
  expect(nominalMs({ months: 14, days: 1 })).toBe((365 + 60 + 1) * dayMs));
