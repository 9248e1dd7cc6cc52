import { expect, test } from "bun:test";
import { calendarDays, relativeTime } from "./relative-time.ts";

const berlin = "Europe/Berlin";
const tokyo = "Asia/Tokyo";

test.each<[at: string, now: string, timeZone: string, words: string]>([
  // Within a day: minutes and hours. Past ones count when complete, future ones are rounded.
  ["2026-11-20T12:00:29Z", "2026-11-20T12:00:00Z", "UTC", "now"],
  ["2026-11-20T11:59:01Z", "2026-11-20T12:00:00Z", "UTC", "now"],
  ["2026-11-20T11:58:01Z", "2026-11-20T12:00:00Z", "UTC", "1 minute ago"],
  ["2026-11-20T12:59:29Z", "2026-11-20T12:00:00Z", "UTC", "in 59 minutes"],
  ["2026-11-20T12:59:30Z", "2026-11-20T12:00:00Z", "UTC", "in 1 hour"],
  ["2026-11-20T10:00:01Z", "2026-11-20T12:00:00Z", "UTC", "1 hour ago"],
  ["2026-11-20T00:00:00Z", "2026-11-20T23:59:00Z", "UTC", "23 hours ago"],
  ["2026-11-20T13:59:59Z", "2026-11-20T12:00:00Z", "UTC", "in 2 hours"],
  // Over midnight: minutes, then days.
  ["2026-11-19T23:50:00Z", "2026-11-20T00:10:00Z", "UTC", "20 minutes ago"],
  ["2026-11-21T00:10:00Z", "2026-11-20T23:50:00Z", "UTC", "in 20 minutes"],
  ["2026-11-19T22:50:00Z", "2026-11-20T00:10:00Z", "UTC", "yesterday"],
  ["2026-11-21T01:10:00Z", "2026-11-20T23:50:00Z", "UTC", "tomorrow"],
  ["2026-11-19T00:00:00Z", "2026-11-20T23:59:59Z", "UTC", "yesterday"],
  ["2026-11-21T23:59:59Z", "2026-11-20T00:00:00Z", "UTC", "tomorrow"],
  // Less than 48 hours can be two days.
  ["2026-11-18T23:00:00Z", "2026-11-20T01:00:00Z", "UTC", "2 days ago"],
  ["2026-11-22T01:00:00Z", "2026-11-20T23:00:00Z", "UTC", "in 2 days"],
  ["2026-11-13T12:00:00Z", "2026-11-20T12:00:00Z", "UTC", "7 days ago"],
  ["2026-11-07T12:00:00Z", "2026-11-20T11:00:00Z", "UTC", "13 days ago"],
  ["2026-12-03T11:00:00Z", "2026-11-20T12:00:00Z", "UTC", "in 13 days"],
  ["2026-12-20T12:00:00Z", "2026-11-20T12:00:00Z", "UTC", "in 30 days"],
  ["2027-01-19T12:00:00Z", "2026-11-20T12:00:00Z", "UTC", "in 60 days"],
  // Then months and years.
  ["2027-01-20T12:00:00Z", "2026-11-20T12:00:00Z", "UTC", "in 2 months"],
  ["2026-08-31T12:00:00Z", "2026-07-01T12:00:00Z", "UTC", "in 2 months"],
  ["2026-05-20T12:00:00Z", "2026-11-20T12:00:00Z", "UTC", "6 months ago"],
  ["2027-11-20T12:00:00Z", "2026-11-20T12:00:01Z", "UTC", "in 1 year"],
  ["2028-05-20T12:00:00Z", "2026-11-20T12:00:00Z", "UTC", "in 18 months"],
  ["2023-11-20T12:00:00Z", "2026-11-20T12:00:00Z", "UTC", "3 years ago"],
  // The end of a year.
  ["2027-01-01T00:30:00Z", "2026-12-31T22:00:00Z", "UTC", "tomorrow"],
  ["2026-12-30T12:00:00Z", "2027-01-01T12:00:00Z", "UTC", "2 days ago"],
  // The same two times are the same day in one zone and two days in another.
  ["2026-11-20T14:00:00Z", "2026-11-20T16:00:00Z", tokyo, "yesterday"],
  ["2026-11-20T14:00:00Z", "2026-11-20T16:00:00Z", "UTC", "2 hours ago"],
  ["2026-11-20T22:59:59.999Z", "2026-11-20T12:00:00Z", berlin, "in 11 hours"],
  ["2026-11-20T23:00:00Z", "2026-11-20T12:00:00Z", berlin, "tomorrow"],
  // The days on which clocks are put forward, with 23 hours, and back, with 25.
  ["2027-03-28T21:59:59Z", "2027-03-27T22:30:00Z", berlin, "tomorrow"],
  ["2027-03-28T22:00:00Z", "2027-03-27T22:30:00Z", berlin, "in 2 days"],
  ["2027-03-26T23:00:00Z", "2027-03-28T22:00:00Z", berlin, "2 days ago"],
  ["2027-10-30T22:00:00Z", "2027-10-31T22:59:59Z", berlin, "24 hours ago"],
  ["2027-10-30T21:59:59Z", "2027-10-31T22:59:59Z", berlin, "yesterday"],
])("%s is, at %s in %s, %p", (at, now, timeZone, words) => {
  expect(relativeTime(Date.parse(at), Date.parse(now), "en", timeZone)).toBe(words);
});

test.each<[language: string, words: string[]]>([
  ["en", ["yesterday", "2 days ago", "13 days ago", "in 3 days", "tomorrow", "in 1 year"]],
  ["de", ["gestern", "vorgestern", "vor 13 Tagen", "in 3 Tagen", "morgen", "in 1 Jahr"]],
  ["es", ["ayer", "anteayer", "hace 13 días", "dentro de 3 días", "mañana", "dentro de 1 año"]],
])("days are said in %s", (language, words) => {
  const nowMs = Date.parse("2026-11-20T12:00:00Z");
  const said = [-1, -2, -13, 3, 1, 365].map((days) =>
    relativeTime(nowMs + days * 86_400_000, nowMs, language, "UTC"),
  );
  expect(said).toEqual(words);
});

test("the words for a day are those of its distance in calendar days, at any hour of the year, in any zone", () => {
  for (const zone of ["UTC", berlin, tokyo, "America/St_Johns", "Australia/Lord_Howe", "Pacific/Apia"]) {
    const format = new Intl.DateTimeFormat("en-CA", { dateStyle: "short", timeZone: zone });
    const dateOf = (ms: number) => Date.parse(`${format.format(ms)}T00:00:00Z`) / 86_400_000;
    for (let hour = 0; hour < 365 * 24; hour += 7) {
      const nowMs = Date.UTC(2027, 0, 1, hour);
      for (const hours of [-25, -23, 23, 25, 48]) {
        const atMs = nowMs + hours * 3_600_000;
        expect(calendarDays(atMs, nowMs, zone)).toBe(dateOf(atMs) - dateOf(nowMs));
      }
    }
  }
});
