import { expect, test } from "bun:test";
import { sinceOf } from "./since.ts";

const now = Date.parse("2026-11-17T00:30:00Z");

test.each([
  ["2026-11-17T00:10:00Z", { kind: "today" }],
  ["2026-11-16T23:50:00Z", { kind: "yesterday" }],
  ["2026-11-12T12:00:00Z", { kind: "weekday", day: "Thursday" }],
  ["2026-11-11T12:00:00Z", { kind: "weekday", day: "Wednesday" }],
  // A week ago has the name of today.
  ["2026-11-10T12:00:00Z", { kind: "date", day: "November 10" }],
  // A clock that is behind the server's.
  ["2026-11-17T09:00:00Z", { kind: "today" }],
])("%s is %j", (at, since) => {
  expect(sinceOf(at, now, "en", "UTC")).toEqual(since as ReturnType<typeof sinceOf>);
});

test("days are those of the reader's time zone and language", () => {
  expect(sinceOf("2026-11-17T00:10:00Z", now, "de", "America/New_York")).toEqual({ kind: "today" });
  expect(sinceOf("2026-11-14T00:10:00Z", now, "de", "America/New_York")).toEqual({
    kind: "weekday",
    day: "Freitag",
  });
});
