import { describe, expect, test } from "bun:test";
import { FairQueue, type Slot } from "./fair-queue.ts";

const limits = {
  admitted: { inAll: 4, perNetwork: 3, perClient: 2 },
  waiting: { inAll: 100, perNetwork: 60, perClient: 30 },
  waitTimeoutMs: 5_000,
};

/** Keeps the order in which requests are admitted, by who sent them. */
function openQueue(now = () => 0, overrides: Partial<typeof limits> = {}) {
  const queue = new FairQueue({ ...limits, ...overrides }, now);
  const admitted: string[] = [];
  const slots = new Map<string, Slot[]>();
  const refused: string[] = [];
  const send = (network: string, client: string, times = 1) => {
    const name = `${network}/${client}`;
    const keep = (slot: Slot | null) => {
      if (slot === null) refused.push(name);
      else {
        admitted.push(name);
        slots.set(name, [...(slots.get(name) ?? []), slot]);
      }
    };
    for (let time = 0; time < times; time++) {
      const entered = queue.enter({ network, client });
      if (entered instanceof Promise) void entered.then(keep);
      else keep(entered);
    }
  };
  const end = async (name: string) => {
    slots.get(name)?.shift()?.end();
    await null;
  };
  return { queue, admitted, refused, slots, send, end };
}

describe("the queue of forwarded requests", () => {
  test("a party has at most its share at a time, and the rest is free for others", () => {
    const { queue, admitted, send } = openQueue();
    send("a", "1", 50);
    send("a", "2", 5);
    expect(admitted).toEqual(["a/1", "a/1", "a/2"]);
    send("b", "1");
    expect(admitted.at(-1)).toBe("b/1");
    expect(queue.admittedUse.inUse).toBe(4);
  });

  test("free slots go to one network after the other, and to one client of it after the other", async () => {
    const { admitted, send, end } = openQueue();
    send("a", "1", 20);
    send("b", "1", 2);
    expect(admitted).toEqual(["a/1", "a/1", "b/1", "b/1"]);
    send("a", "2", 3);
    send("c", "1", 3);
    for (const name of ["b/1", "b/1", "a/1", "c/1", "a/1"]) await end(name);
    expect(admitted.slice(4)).toEqual(["a/2", "c/1", "a/1", "c/1", "a/2"]);
  });

  test("a network that waits for longest gets no more than one turn before each other one", async () => {
    const one = { inAll: 1, perNetwork: 1, perClient: 1 };
    const { admitted, send, end } = openQueue(() => 0, { admitted: one });
    send("a", "1", 4);
    send("b", "1", 2);
    for (let time = 0; time < 5; time++) await end(admitted.at(-1) ?? "");
    expect(admitted).toEqual(["a/1", "a/1", "b/1", "a/1", "b/1", "a/1"]);
  });

  test("requests beyond the share that can wait are refused at once, and those of others are not", () => {
    const { queue, refused, send } = openQueue();
    send("a", "1", 40);
    expect(refused).toHaveLength(8);
    send("a", "2", 40);
    send("a", "3", 40);
    expect(queue.waitingUse.inUse).toBe(60);
    expect(queue.waitingUse.refused).toBe(refused.length);
    refused.length = 0;
    send("b", "1", 20);
    expect(refused).toHaveLength(0);
  });

  test("requests that have waited too long are refused, and later ones are served", async () => {
    let nowMs = 0;
    const { queue, admitted, refused, send, end } = openQueue(() => nowMs, { waitTimeoutMs: 300 });
    send("a", "1", 5);
    nowMs = 301;
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(refused).toEqual(["a/1", "a/1", "a/1"]);
    expect(queue.waitingUse.inUse).toBe(0);
    expect(queue.admittedUse.refused).toBe(3);
    send("a", "1");
    await end("a/1");
    expect(admitted).toHaveLength(3);
  });

  test("a paused request takes no slot, and takes one again when it resumes, even if that is one too many", async () => {
    const { queue, admitted, slots, send, end } = openQueue();
    send("a", "1", 3);
    const [first] = slots.get("a/1") ?? [];
    first?.pause();
    first?.pause();
    await null;
    expect(admitted).toHaveLength(3);
    expect(queue.admittedUse.inUse).toBe(2);
    first?.resume();
    expect(queue.admittedUse.inUse).toBe(3);
    send("a", "1");
    await end("a/1");
    expect(queue.admittedUse.inUse).toBe(2);
    expect(queue.waitingUse.inUse).toBe(1);
    first?.resume();
    expect(queue.admittedUse.inUse).toBe(2);
  });

  test("a request that pauses for others lets them be served, and none of its own client", () => {
    const { queue, admitted, slots, send } = openQueue();
    send("a", "1", 3);
    send("b", "1", 3);
    expect(admitted).toEqual(["a/1", "a/1", "b/1", "b/1"]);
    for (const slot of slots.get("a/1") ?? []) slot.pauseForOthers();
    expect(queue.admittedUse.inUse).toBe(2);
    send("c", "1", 2);
    expect(admitted.slice(4)).toEqual(["c/1", "c/1"]);
    for (const name of ["b/1", "c/1"]) for (const slot of slots.get(name) ?? []) slot.end();
    expect(admitted.filter((name) => name === "a/1")).toHaveLength(2);
    const [first] = slots.get("a/1") ?? [];
    first?.end();
    first?.pauseForOthers();
    expect(admitted.filter((name) => name === "a/1")).toHaveLength(2);
  });

  test("who has no requests is not remembered", async () => {
    const { queue, slots, send } = openQueue(() => 0, { waiting: { inAll: 0, perNetwork: 0, perClient: 0 } });
    for (let network = 0; network < 50; network++) send(`n${network}`, "1");
    expect(queue.size).toBe(4);
    for (const own of slots.values()) for (const slot of own) slot.end();
    expect(queue.size).toBe(0);
  });
});
