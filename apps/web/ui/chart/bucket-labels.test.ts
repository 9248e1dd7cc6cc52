import { expect, test } from "bun:test";
import { hourMs } from "@countersign/domain/dates/lengths";
import { bucketPoints } from "./bucket-labels.ts";

const hours = (from: string, count: number) =>
  Array.from({ length: count }, (_, at) => ({
    from: new Date(Date.parse(from) + at * hourMs).toISOString(),
    to: new Date(Date.parse(from) + (at + 1) * hourMs).toISOString(),
  }));
const plain = (text: string) => text.replaceAll(/[\u2009\u202f\u00a0]/g, " ");

test("an hour that comes twice has two names", () => {
  // Clocks are put back at 03:00 on 25 October 2026: 02:00 comes twice.
  const shown = { interval: "hour", timeZone: "Europe/Berlin", language: "de" } as const;
  const points = bucketPoints(hours("2026-10-24T23:00:00.000Z", 4), shown);
  expect(points.map(({ short }) => short)).toEqual(["01:00", "02:00", "02:00", "03:00"]);
  expect(new Set(points.map(({ full }) => full)).size).toBe(4);
  expect(points[1]?.full).toContain("MESZ");
  expect(points[2]?.full).toContain("MEZ");
});

test("the first hour of a day is labelled with the day, also in zones of half hours", () => {
  const shorts = (timeZone: string, from: string) =>
    bucketPoints(hours(from, 2), { interval: "hour", timeZone, language: "en" }).map(({ short }) =>
      plain(short),
    );
  expect(shorts("UTC", "2026-11-17T00:00:00.000Z")).toEqual(["Nov 17", "1:00 AM"]);
  expect(shorts("Asia/Kolkata", "2026-11-16T19:00:00.000Z")).toEqual(["Nov 17", "1:30 AM"]);
});

test("days, weeks and months are those of the time zone, however long they are", () => {
  // A day of 25 hours in Berlin.
  const day = { from: "2026-10-24T22:00:00.000Z", to: "2026-10-25T23:00:00.000Z" };
  const week = { from: "2026-10-18T22:00:00.000Z", to: "2026-10-25T23:00:00.000Z" };
  const month = { from: "2026-09-30T22:00:00.000Z", to: "2026-10-31T23:00:00.000Z" };
  const shown = { timeZone: "Europe/Berlin", language: "en" };
  const [ofDay] = bucketPoints([day], { ...shown, interval: "day" });
  expect(ofDay).toMatchObject({ short: "Oct 25", full: "Sunday, October 25, 2026" });
  const [ofWeek] = bucketPoints([week], { ...shown, interval: "week" });
  expect(plain(ofWeek?.full ?? "")).toBe("Oct 19 – 25, 2026");
  const [ofMonth] = bucketPoints([month], { ...shown, interval: "month" });
  expect(ofMonth).toMatchObject({ short: "Oct", full: "October 2026" });
});

test("months of two years name their year", () => {
  const months = [
    { from: "2026-12-01T00:00:00.000Z", to: "2027-01-01T00:00:00.000Z" },
    { from: "2027-01-01T00:00:00.000Z", to: "2027-02-01T00:00:00.000Z" },
  ];
  const points = bucketPoints(months, { interval: "month", timeZone: "UTC", language: "en" });
  expect(points.map(({ short }) => short)).toEqual(["Dec 26", "Jan 27"]);
});
