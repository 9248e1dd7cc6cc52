import { describe, expect, test } from "bun:test";
import { type Expiry, extended, latestMs, lifetime, readExpiry, type WantedExpiry } from "./expiry.ts";

const nowMs = Date.UTC(2030, 0, 1);
const until = (expiresAtMs: number | null, termMs: number | null = null): Expiry => {
  return { isLifetime: false, expiresAtMs, termMs };
};

describe("readExpiry", () => {
  test.each<[given: WantedExpiry, firstUsedAtMs: number | null, expiry: Expiry | null]>([
    [{}, null, null],
    [{ isLifetime: true }, null, lifetime],
    [{ expiresAtMs: null }, null, lifetime],
    [{ isLifetime: false }, null, null],
    [{ expiresAtMs: 5 }, null, until(5)],
    [{ calendarEndMs: 7 }, null, until(7)],
    [{ expiresInMs: 1_000 }, null, until(nowMs + 1_000)],
    [{ termMs: 1_000 }, null, until(null, 1_000)],
    [{ termMs: 1_000 }, 500, until(1_500, 1_000)],
    [{ expiresAtMs: latestMs }, null, until(latestMs)],
  ])("the expiry %j of a license first used at %p is read as %j", (given, firstUsedAtMs, expiry) => {
    expect(readExpiry(given, firstUsedAtMs, nowMs)).toEqual({ ok: true, expiry });
  });

  test.each<[given: WantedExpiry, field: string]>([
    [{ isLifetime: true, expiresAtMs: 5 }, "expires_at"],
    [{ isLifetime: true, termMs: 5 }, "term_seconds"],
    [{ expiresAtMs: 5, expiresInMs: 5 }, "expires_in_seconds"],
    [{ expiresInMs: 5, termMs: 5 }, "term_seconds"],
    [{ isLifetime: false, expiresAtMs: null }, "expires_at"],
    [{ expiresAtMs: latestMs + 1 }, "expires_at"],
    [{ expiresInMs: latestMs }, "expires_in_seconds"],
  ])("the expiry %j is refused at %s", (given, field) => {
    expect(readExpiry(given, null, nowMs)).toMatchObject({ ok: false, field });
  });
});

describe("extensions", () => {
  test.each<[before: Expiry, after: Expiry | null]>([
    [until(nowMs + 5), until(nowMs + 65)],
    [until(nowMs - 5), until(nowMs + 60)],
    [until(latestMs), until(latestMs)],
    [until(null, 5), until(null, 65)],
    [lifetime, null],
  ])("%j plus 60 ms is %j", (before, after) => expect(extended(before, { ms: 60 }, nowMs)).toEqual(after));

  test("an extension by a year keeps the day and the hour in the time zone of the organization", () => {
    const year = { duration: { months: 12, days: 0 }, timeZone: "Europe/Berlin" };
    const end = (text: string) => until(Date.parse(text));
    expect(extended(end("2031-03-20T22:59:59.999Z"), year, nowMs)).toEqual(end("2032-03-20T22:59:59.999Z"));
    expect(extended(until(latestMs), year, nowMs)).toEqual(until(latestMs));
    expect(extended(until(null, 5), year, nowMs)).toEqual(until(null, 5 + 365 * 86_400_000));
  });
});
