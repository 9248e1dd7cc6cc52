import { expect, test } from "bun:test";
import { relativeTime, shortDate } from "./time.tsx";

const now = Date.parse("2026-03-01T12:00:00Z");
const day = 86_400;

test.each([
  [14 * day - 1, "in 2 weeks"],
  [7 * day - 1, "in 7 days"],
  [day, "tomorrow"],
  [-30, "now"],
  [-119, "1 minute ago"],
  [-2 * day + 1, "yesterday"],
])("%p seconds from now is said as %p", (seconds, words) => {
  expect(relativeTime(new Date(now + seconds * 1_000).toISOString(), now, "en")).toBe(words);
});

test.each([
  ["en", "Nov 20, 2027"],
  ["de", "20.11.2027"],
  ["es", "20 nov 2027"],
])("in %s a date in a list is written as %p", (language, words) => {
  expect(shortDate("2027-11-20T12:00:00Z", language)).toBe(words);
});
