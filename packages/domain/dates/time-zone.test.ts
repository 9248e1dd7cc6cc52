import { expect, test } from "bun:test";
import { offsetAt, timeZoneName } from "./time-zone.ts";

test.each([
  ["Europe/Berlin", "Europe/Berlin"],
  ["america/new_york", "America/New_York"],
  ["Asia/Kolkata", "Asia/Kolkata"],
  ["utc", "UTC"],
  ["Etc/GMT+5", "Etc/GMT+5"],
])("the time zone %j is %j", (text, name) => expect(timeZoneName(text)).toBe(name));

test.each(["+05:30", "Europe/Atlantis", "", "Europe/Berlin\n", "a".repeat(100)])("%j is none", (text) =>
  expect(timeZoneName(text)).toBeNull(),
);

test("every zone that the engine lists has an offset of at most fourteen hours, now and in far years", () => {
  for (const zone of Intl.supportedValuesOf("timeZone"))
    for (const year of [1970, 2027, 9998])
      expect(Math.abs(offsetAt(Date.UTC(year, 6, 1), zone))).toBeLessThanOrEqual(14 * 3_600_000);
});
