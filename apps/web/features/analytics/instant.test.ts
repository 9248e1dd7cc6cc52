import { expect, test } from "bun:test";
import { instantOf } from "./instant.ts";

test.each([
  ["2026-11-17T10:00", "UTC", "2026-11-17T10:00:00.000Z"],
  ["2026-11-17T10:00", "Europe/Berlin", "2026-11-17T09:00:00.000Z"],
  ["2026-07-17T10:00", "America/New_York", "2026-07-17T14:00:00.000Z"],
  // Clocks go from 02:00 to 03:00.
  ["2027-03-28T02:30", "Europe/Berlin", "2027-03-28T01:00:00.000Z"],
  ["", "UTC", null],
  ["tomorrow", "UTC", null],
])("the time %s in %s is %s", (local, zone, instant) => expect(instantOf(local, zone)).toBe(instant));
