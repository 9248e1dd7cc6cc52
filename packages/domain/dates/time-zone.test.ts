import { expect, test } from "bun:test";
import { endOfDay, isDay, localTime, offsetAt, startOfDay, timeZoneName } from "./time-zone.ts";

test.each<[day: string, timeZone: string, end: string]>([
  ["2027-11-20", "UTC", "2027-11-20T23:59:59.999Z"],
  ["2027-07-20", "Europe/Berlin", "2027-07-20T21:59:59.999Z"],
  // The days on which clocks are put forward and back.
  ["2027-03-28", "Europe/Berlin", "2027-03-28T21:59:59.999Z"],
  ["2027-10-31", "Europe/Berlin", "2027-10-31T22:59:59.999Z"],
  ["2027-03-14", "America/New_York", "2027-03-15T03:59:59.999Z"],
  ["2027-11-07", "America/New_York", "2027-11-08T04:59:59.999Z"],
  // Zones of half and quarter hours, and of a half-hour change.
  ["2027-11-20", "Asia/Kathmandu", "2027-11-20T18:14:59.999Z"],
  ["2027-10-03", "Australia/Lord_Howe", "2027-10-03T12:59:59.999Z"],
  // The farthest from UTC on both sides.
  ["2027-11-20", "Pacific/Kiritimati", "2027-11-20T09:59:59.999Z"],
  ["2027-11-20", "Etc/GMT+12", "2027-11-21T11:59:59.999Z"],
  // Clocks put forward at midnight: there is no 00:00 on the 4th.
  ["2018-11-03", "America/Sao_Paulo", "2018-11-04T02:59:59.999Z"],
  // Put back at midnight: the last hour of the 17th comes twice, and the second one counts.
  ["2018-02-17", "America/Sao_Paulo", "2018-02-18T02:59:59.999Z"],
  // Put back a minute after midnight: for a minute it was the next day already.
  ["2006-10-28", "America/St_Johns", "2006-10-29T03:29:59.999Z"],
  // Samoa skipped the 30th of December 2011.
  ["2011-12-29", "Pacific/Apia", "2011-12-30T09:59:59.999Z"],
  ["2011-12-30", "Pacific/Apia", "2011-12-30T09:59:59.999Z"],
  ["9999-12-31", "Pacific/Kiritimati", "9999-12-31T09:59:59.999Z"],
])("the day %s in %s ends at %s", (day, timeZone, end) => {
  expect(new Date(endOfDay(day, timeZone)).toISOString()).toBe(end);
});

test("a day starts when the day before has ended, also where midnight is skipped", () => {
  const start = (day: string, zone: string) => new Date(startOfDay(day, zone)).toISOString();
  expect(start("2027-11-20", "Europe/Berlin")).toBe("2027-11-19T23:00:00.000Z");
  expect(start("2018-11-04", "America/Sao_Paulo")).toBe("2018-11-04T03:00:00.000Z");
});

test("only days of the calendar are days", () => {
  for (const day of ["2027-02-28", "2028-02-29", "2027-12-31"]) expect(isDay(day)).toBe(true);
  for (const text of ["2027-02-29", "2027-04-31", "2027-13-01", "2027-1-1", "2027-11-20T00:00", "20.11.2027"])
    expect(isDay(text)).toBe(false);
});

test("a moment is written as the clocks of the zone show it", () => {
  expect(localTime(Date.UTC(2027, 10, 20, 22, 59, 59, 999), "Europe/Berlin")).toBe("2027-11-20T23:59:59.999");
});

test.each([
  ["Europe/Berlin", "Europe/Berlin"],
  ["america/new_york", "America/New_York"],
  ["utc", "UTC"],
  ["Etc/GMT+5", "Etc/GMT+5"],
])("the time zone %j is named %j", (text, name) => expect(timeZoneName(text)).toBe(name));

test.each(["+05:30", "Europe/Atlantis", "", "Europe/Berlin\n", "a".repeat(100)])(
  "%j is no time zone",
  (text) => expect(timeZoneName(text)).toBeNull(),
);

test("every zone that the engine lists has an offset of at most fourteen hours, now and in far years", () => {
  for (const zone of Intl.supportedValuesOf("timeZone"))
    for (const year of [1970, 2027, 9998])
      expect(Math.abs(offsetAt(Date.UTC(year, 6, 1), zone))).toBeLessThanOrEqual(14 * 3_600_000);
});
