import { expect, test } from "bun:test";
import { onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import * as queries from "./attempts.ts";

const rate = { burst: 3, everyMs: 100 };
const startMs = Date.UTC(2020, 0);

onBothDatabases("attempts", (fixture) => {
  const { write } = fixture.queries(queries);
  const take = (name: string, afterMs: number) => write.takeAttempt(name, rate, startMs + afterMs);
  const takenOf = async (name: string, timesMs: readonly number[]) => {
    const taken: boolean[] = [];
    for (const afterMs of timesMs) taken.push((await take(name, afterMs)).taken);
    return taken;
  };

  test.each([
    ["a burst of attempts is taken at once, and not one more", [0, 0, 0, 0], "yyyn"],
    ["after a burst, one attempt is free per interval", [0, 0, 0, 99, 100, 100], "yyynyn"],
    ["after a pause, only a burst of attempts is free", [0, 900, 900, 900, 900], "yyyyn"],
  ])("%s", async (_, timesMs, expected) => {
    const taken = await takenOf(newId(), timesMs);
    expect(taken.map((isTaken) => (isTaken ? "y" : "n")).join("")).toBe(expected);
  });

  test("a refusal says when the next attempt is free, and is not counted", async () => {
    const name = newId();
    await takenOf(name, [0, 0, 0]);
    for (const afterMs of [0, 50, 99])
      expect(await take(name, afterMs)).toEqual({ taken: false, freeAtMs: startMs + 100 });
  });

  test("concurrent attempts do not exceed the limit, and other names are not affected", async () => {
    const name = newId();
    const answers = await Promise.all(Array.from({ length: 12 }, () => take(name, 0)));
    expect(answers.filter(({ taken }) => taken)).toHaveLength(3);
    expect((await take(newId(), 0)).taken).toBe(true);
  });

  test("a returned attempt can be taken again, and cleared ones all can, only under their own name", async () => {
    const [name, other] = [newId(), newId()];
    for (const one of [name, other]) await takenOf(one, [0, 0, 0]);
    await write.returnAttempt(name, rate);
    expect(await takenOf(name, [0, 0])).toEqual([true, false]);
    await write.clearAttempts(name);
    expect(await takenOf(name, [0, 0, 0, 0])).toEqual([true, true, true, false]);
    expect((await take(other, 0)).taken).toBe(false);
  });
});
