import { describe, expect, test } from "bun:test";
import { MessageChannel } from "node:worker_threads";
import { WriteLock } from "../write-lock.ts";
import { BorrowedTurns, lendTurns } from "./lent-turns.ts";

describe("turns that another thread borrows", () => {
  const open = () => {
    const { port1, port2 } = new MessageChannel();
    const lock = new WriteLock();
    lendTurns(lock, port1);
    return { lock, port: port2, borrowed: new BorrowedTurns(port2) };
  };

  test("keep everybody else waiting until they are given back", async () => {
    const { lock, borrowed } = open();
    const said: string[] = [];
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const there = borrowed.hold(async () => {
      said.push("there begins");
      begin();
      await mayEnd;
      said.push("there ends");
    });
    await begun;
    expect(lock.busy).toBe(true);
    const here = lock.hold(async () => void said.push("here"));
    end();
    await Promise.all([there, here]);
    expect(said).toEqual(["there begins", "there ends", "here"]);
    borrowed.close();
  });

  test("come in the order in which they were asked for", async () => {
    const { borrowed } = open();
    const said: number[] = [];
    await Promise.all([1, 2, 3].map((number) => borrowed.hold(async () => void said.push(number))));
    expect(said).toEqual([1, 2, 3]);
    borrowed.close();
  });

  test("are given back when what was done in them fails", async () => {
    const { lock, borrowed } = open();
    const failed = borrowed.hold(() => Promise.reject(new Error("no")));
    expect(await failed.catch(String)).toBe("Error: no");
    await lock.hold(async () => undefined);
    borrowed.close();
  });

  test("are given back when the thread that has one ends", async () => {
    const { lock, borrowed, port } = open();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    borrowed.hold(() => {
      begin();
      return new Promise(() => {});
    });
    await begun;
    port.close();
    await lock.hold(async () => undefined);
  });

  test("are passed on when the thread that waited for one has ended", async () => {
    const { lock, borrowed, port } = open();
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
    const here = lock.hold(() => mayEnd);
    const cut = borrowed.hold(async () => undefined).catch(String);
    port.close();
    expect(await cut).toContain("gone");
    end();
    await here;
    await lock.hold(async () => undefined);
  });
});
