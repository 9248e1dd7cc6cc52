import { afterEach, expect, test } from "bun:test";
import { removeState } from "@countersign/store/queries/admin/platform-state";
import type { IntegrityPart, Store } from "@countersign/store/store";
import { onDatabase } from "../../../../tests/support/query-tests.ts";
import { createLog } from "../../base/log.ts";
import type { IntegrityState } from "../health/worker-metrics.ts";
import { integrityCheck } from "./integrity-check.ts";

/** On the fifth of June, by the clock of the machine. */
const at = (hour: number, day = 5) => new Date(2031, 5, day, hour, 30).getTime();
const never = new AbortController().signal;

onDatabase("sqlite", "integrity checks", (fixture) => {
  afterEach(() => fixture.write((db) => removeState(db, "integrity_check")));

  /** A server at this time, whose files have these parts. */
  const checkAt = (nowMs: number, parts: readonly IntegrityPart[] = []) => {
    const asked: (string | null)[] = [];
    const lines: string[] = [];
    const states: IntegrityState[] = [];
    const rest = [...parts];
    const checkIntegrity: Store["checkIntegrity"] = async (after, _, signal) => {
      asked.push(after);
      signal.throwIfAborted();
      return rest.shift() ?? null;
    };
    const store = new Proxy(fixture.store, {
      get: (target, name) => {
        if (name === "clock") return async () => nowMs;
        if (name === "checkIntegrity") return checkIntegrity;
        const value = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const log = createLog({
      level: "info",
      pretty: false,
      now: () => nowMs,
      write: (line) => lines.push(line),
    });
    const job = integrityCheck(store, log, (state) => states.push(state));
    return { run: (signal = never) => job.run(signal), asked, lines, states };
  };

  test("a part is checked once a night, and the next night continues after it", async () => {
    const parts = [{ tables: [["countersign.db events", null]], isLast: false }] as const;
    const day = checkAt(at(12), parts);
    await day.run();
    expect(day.asked).toEqual([]);
    const night = checkAt(at(3), parts);
    await night.run();
    await night.run();
    expect(night.asked).toEqual([null]);
    const next = checkAt(at(2, 6), [{ tables: [["journal.db log", null]], isLast: true }]);
    await next.run();
    expect(next.asked).toEqual(["countersign.db events"]);
    const third = checkAt(at(4, 7), parts);
    await third.run();
    expect(third.asked).toEqual([null]);
    expect(third.states.at(-1)).toEqual({ damagedTables: 0, checkedAtMs: at(4, 7) });
  });

  test("damage is logged, shown after a restart, and forgotten once the table is intact", async () => {
    const broken = [
      { tables: [["countersign.db licenses", "row 5 missing from index"]], isLast: true },
    ] as const;
    const found = checkAt(at(3), broken);
    await found.run();
    expect(found.lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        level: "error",
        table: "countersign.db licenses",
        found: "row 5 missing from index",
      }),
    ]);
    const restarted = checkAt(at(12));
    await restarted.run();
    expect(restarted.states).toEqual([{ damagedTables: 1, checkedAtMs: at(3) }]);
    const repaired = checkAt(at(3, 6), [{ tables: [["countersign.db licenses", null]], isLast: true }]);
    await repaired.run();
    expect(repaired.states.at(-1)?.damagedTables).toBe(0);
  });

  test("a server that stops ends the check, and the night is not over", async () => {
    const stopped = checkAt(at(3));
    await stopped.run(AbortSignal.abort());
    const next = checkAt(at(3), [{ tables: [], isLast: true }]);
    await next.run();
    expect(next.asked).toEqual([null]);
  });
});
