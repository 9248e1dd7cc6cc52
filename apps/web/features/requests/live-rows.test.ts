import { describe, expect, test } from "bun:test";
import { type LiveEvent, type LiveRows, liveRows, maxLiveRows, noLiveRows, withOlder } from "./live-rows.ts";
import type { LoggedRequest } from "./request.tsx";

const request = (second: number, count = 1) =>
  ({
    id: `request-${second}`,
    at: new Date(Date.UTC(2026, 10, 17) + second * 1_000).toISOString(),
    count,
  }) as LoggedRequest;
const arrive = (...seconds: number[]): LiveEvent => ({
  kind: "requests",
  requests: seconds.map((second) => request(second)),
});
const after = (...events: LiveEvent[]): LiveRows => events.reduce(liveRows, noLiveRows);
const older = (rows: LiveRows, ...seconds: number[]) =>
  ids(
    withOlder(
      rows,
      seconds.map((second) => request(second)),
    ),
  );
const ids = (rows: readonly LoggedRequest[]) => rows.map(({ id }) => Number(id.replace("request-", "")));

describe("live requests", () => {
  test("requests are shown newest first and once, also if they arrive out of order or twice", () => {
    const { shown, skipped, isCut } = after(arrive(1, 3), arrive(2, 3), arrive(3));
    expect(ids(shown)).toEqual([3, 2, 1]);
    expect([skipped, isCut]).toEqual([0, false]);
  });

  test("requests wait while the stream is paused, and are all shown on resuming", () => {
    const paused = after(arrive(1), { kind: "pause" }, arrive(2), arrive(3, 2));
    expect([ids(paused.shown), ids(paused.waiting)]).toEqual([[1], [3, 2]]);
    const resumed = liveRows(paused, { kind: "resume" });
    expect([ids(resumed.shown), ids(resumed.waiting), resumed.isPaused]).toEqual([[3, 2, 1], [], false]);
  });

  test("paused requests fill a bounded buffer; those that do not fit are counted as skipped", () => {
    const many = Array.from({ length: maxLiveRows + 3 }, (_, second) => second);
    const skipped = [4, null].map((count): LiveEvent => ({ kind: "skipped", count }));
    const paused = after({ kind: "pause" }, arrive(...many), ...skipped);
    expect(paused.waiting).toHaveLength(maxLiveRows);
    expect(ids(paused.waiting).at(-1)).toBe(3);
    expect([paused.skipped, paused.hasSkippedMore]).toEqual([7, true]);
  });

  test("the rows of the list follow those of the stream", () => {
    const rows = after(arrive(5, 4));
    expect(older(rows, 4, 3, 2)).toEqual([5, 4, 3, 2]);
  });

  test("requests that are waiting are not shown by the list either", () => {
    const rows = after(arrive(1), { kind: "pause" }, arrive(2));
    expect(older(rows, 2, 1, 0)).toEqual([1, 0]);
  });

  test("rows older than those that no longer fit are not shown, so that no gap is hidden", () => {
    const many = Array.from({ length: maxLiveRows + 2 }, (_, second) => second + 10);
    const rows = after(arrive(...many));
    expect(rows.isCut).toBe(true);
    expect(older(rows, 9, 8).at(-1)).toBe(12);
  });
});
