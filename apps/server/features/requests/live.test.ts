import { expect, test } from "bun:test";
import { onDatabase } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { RequestTail } from "./live.ts";

const minute = 60_000;
/** A second before midnight. */
const startMs = 20_000 * 86_400_000 - 1_000;

onDatabase("sqlite", "the tail of the request log", (fixture) => {
  /** A new organization, what is written about it, and the times and the number of what is read and skipped. */
  const followed = (limit?: number) => {
    const organization = newId();
    const tail = new RequestTail(fixture.store.listReads, organization, limit);
    return {
      write: (...times: number[]) =>
        fixture.log(times.map((at) => ({ at: startMs + at, organization_id: organization }))),
      read: async (now: number) => {
        const { rows, skipped } = await tail.read(startMs + now);
        return [rows.map(({ at }) => at - startMs), skipped];
      },
    };
  };

  test("added requests are read once, in order, across midnight, however late they are written", async () => {
    const { write, read } = followed();
    await write(0);
    expect(await read(100)).toEqual([[], 0]);
    await write(700, 300);
    await followed().write(500);
    expect(await read(1_100)).toEqual([[300, 700], 0]);
    // Another node is slower, and its clock is ahead.
    await write(2_900);
    expect(await read(2_100)).toEqual([[2_900], 0]);
    await write(-900, 900, 2_000);
    expect(await read(3_100)).toEqual([[-900, 900, 2_000], 0]);
    expect(await read(4_100)).toEqual([[], 0]);
  });

  test("no request is missed while the log cannot be read", async () => {
    const { write, read } = followed();
    await read(0);
    await write(100, minute);
    expect(await read(2 * minute)).toEqual([[100, minute], 0]);
  });

  test("the newest of too many requests are read, and the others are counted", async () => {
    const { write, read } = followed(3);
    await write(0);
    await read(10);
    await write(100, 200, 300, 400, 500, 600, 700);
    expect(await read(1_010)).toEqual([[500, 600, 700], 4]);
    await write(800);
    expect(await read(2_010)).toEqual([[800], 0]);
  });
});
