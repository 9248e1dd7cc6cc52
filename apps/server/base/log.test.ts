import { expect, test } from "bun:test";
import { createLog, inBursts, type Log, type LogFields, type LogLevel, logLevels, reasonOf } from "./log.ts";

const nowMs = Date.UTC(2030, 5, 15, 12, 34, 56, 789);

function written(level: LogLevel, pretty: boolean, work: (log: Log) => void): string[] {
  const lines: string[] = [];
  work(createLog({ level, pretty, now: () => nowMs, write: (line) => lines.push(line) }));
  return lines;
}

test.each([
  ["debug", ["debug", "info", "warn", "error"]],
  ["info", ["info", "warn", "error"]],
  ["warn", ["warn", "error"]],
  ["error", ["error"]],
] as const)("the level %s includes %j", (level, expected) => {
  const lines = written(level, false, (log) => {
    for (const each of logLevels) log[each]("said");
  });
  expect(lines.map((line) => JSON.parse(line).level)).toEqual([...expected]);
});

test("a JSON line holds time, level, message and fields, in that order", () => {
  const [line] = written("info", false, (log) =>
    log.warn("Slow batch.", { calls: 7, ok: true, cause: null }),
  );
  expect(line).toBe(
    '{"time":"2030-06-15T12:34:56.789Z","level":"warn","message":"Slow batch.","calls":7,"ok":true,"cause":null}\n',
  );
});

test.each<[LogLevel, LogFields | undefined, string]>([
  ["info", undefined, "Listening."],
  ["info", { port: 3000, url: "http://x" }, "Listening.  port=3000 url=http://x"],
  ["error", { reason: "gone" }, "ERROR Listening.  reason=gone"],
  ["warn", { reason: undefined, left: null }, "WARN Listening.  left=null"],
  ["info", { reason: "disk\nis full" }, "Listening.  reason=disk\\u000ais full"],
])("a line for a terminal has the time, the level %s and the fields %j", (level, fields, expected) => {
  const [line] = written("debug", true, (log) => log[level]("Listening.", fields));
  expect(line).toMatch(/^\d\d:\d\d:\d\d /);
  expect(line?.slice(9)).toBe(`${expected}\n`);
});

test.each([true, false])(
  "an entry is always exactly one line, whatever it contains (pretty: %p)",
  (pretty) => {
    const forged = 'x\n{"level":"error","message":"forged"}\r\n\u001b[31m';
    const lines = written("info", pretty, (log) => log.info(forged, { ip: forged }));
    expect(lines).toEqual([expect.stringMatching(/^\P{Cc}*\n$/u)]);
  },
);

test("a field cannot override the time, the level or the message", () => {
  const forged = { level: "error", message: "forged", time: "never", more: 1 };
  const [line] = written("info", false, (log) => log.info("Real.", forged));
  const time = "2030-06-15T12:34:56.789Z";
  expect(JSON.parse(line ?? "")).toEqual({ time, level: "info", message: "Real.", more: 1 });
});

const withCode = (message: string, code: object) => Object.assign(new Error(message), code);
test.each<[string, unknown]>([
  ["a (b (c))", new Error("a", { cause: new Error("b", { cause: "c" }) })],
  ["just text", "just text"],
  ["undefined", undefined],
  ["The disk is full. outer (inner)", new Error("outer", { cause: withCode("inner", { errcode: 13 }) })],
  ["The disk is full. outer (inner)", new Error("outer", { cause: withCode("inner", { code: "ENOSPC" }) })],
  ["The disk is full. no space", withCode("no space", { code: "53100" })],
  ["busy", withCode("busy", { errcode: 5 })],
])("the reason %s is read from an error", (expected, error) => expect(reasonOf(error)).toBe(expected));

test("a frequent message is logged immediately the first time, and then with a count", async () => {
  const reported: (string | number)[] = [];
  const again = Promise.withResolvers<void>();
  const report = inBursts<string>(20, (amount, latest) => {
    if (reported.push(amount, latest) === 4) again.resolve();
  });
  report(1, "a");
  report(2, "b");
  report(3, "c");
  expect(reported).toEqual([1, "a"]);
  await again.promise;
  expect(reported).toEqual([1, "a", 5, "c"]);
});
