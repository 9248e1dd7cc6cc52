import { afterEach, expect, jest, test } from "bun:test";
import { StorageUnavailable } from "@countersign/store/errors/problem";
import { createLog } from "../base/log.ts";
import { reportsTo } from "./reports.ts";

afterEach(() => void jest.useRealTimers());

test("while storage does not respond, there is one line a minute for each cause", () => {
  jest.useFakeTimers();
  const lines: string[] = [];
  const log = createLog({ level: "info", pretty: false, now: () => 0, write: (line) => lines.push(line) });
  const reports = reportsTo(log);
  const unreachable = new StorageUnavailable("PostgreSQL did not answer.");
  const full = new StorageUnavailable("PostgreSQL has no space left.", { reason: "full" });
  for (let second = 0; second < 59; second++) {
    for (const cause of [unreachable, full]) reports.batchFailed(2, cause);
    reports.notForwarded(unreachable);
    reports.entriesDropped(1);
    jest.advanceTimersByTime(1_000);
  }
  const messages = () => lines.map((line) => JSON.parse(line)).filter((line) => "calls" in line);
  expect(messages().map(({ cause, calls }) => [cause, calls])).toEqual([
    ["unreachable", 2],
    ["full", 2],
  ]);
  expect(lines).toHaveLength(4);
  jest.advanceTimersByTime(2_000);
  expect(messages().slice(2)).toMatchObject([
    { cause: "unreachable", calls: 116 },
    { cause: "full", calls: 116 },
  ]);
});
