import { describe, expect, test } from "bun:test";
import { until } from "../../../tests/support/until.ts";
import { type LargeResponse, LargeResponses } from "./large-responses.ts";

const limits = {
  admitted: { inAll: 5, perNetwork: 4, perClient: 2 },
  waiting: { inAll: 20, perNetwork: 10, perClient: 3 },
  waitTimeoutMs: 60_000,
};
/** Longer than a caller may take nothing of a response whose room another waits for. */
const stalledMs = 4_000;

/** Keeps what has begun, was refused and was cut, by name: a network, a client of it, and a number. */
function openLimit(waitTimeoutMs = limits.waitTimeoutMs) {
  const clock = { nowMs: 0 };
  const responses = new LargeResponses({ ...limits, waitTimeoutMs }, () => clock.nowMs);
  const refused: string[] = [];
  const cut: string[] = [];
  const begun = new Map<string, LargeResponse>();
  const partyOf = (name: string) => ({ network: name[0] ?? "", client: name[1] ?? "" });
  const enter = async (...names: string[]) => {
    for (const name of names)
      void responses
        .enter(partyOf(name), () => cut.push(name))
        .then((response) => {
          if (response === null) refused.push(name);
          else begun.set(name, response);
        });
    await settled();
  };
  const enterAtOnce = (name: string) =>
    begun.set(
      name,
      responses.enterAtOnce(partyOf(name), () => cut.push(name)),
    );
  /** Their callers have a piece each, and take nothing. */
  const send = (...names: string[]) => {
    for (const name of names) begun.get(name)?.pieceSent();
  };
  const end = async (name: string) => {
    begun.get(name)?.end();
    await settled();
  };
  return { responses, clock, begun, refused, cut, enter, enterAtOnce, send, end };
}

/** Everything that follows without waiting. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

/** It looks four times a second for what is stalled. */
async function nextCheck(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 300));
}

describe("large responses", () => {
  test("one for which there is no room waits for one that ends, and none that is taken ends for it", async () => {
    const { clock, begun, cut, enter, send, end } = openLimit();
    await enter("a11", "a12", "b11", "a13", "a14");
    expect([...begun.keys()]).toEqual(["a11", "a12", "b11"]);
    clock.nowMs = 10_000;
    send("a11", "a12");
    clock.nowMs += stalledMs - 1;
    await nextCheck();
    expect([...begun.keys()]).toEqual(["a11", "a12", "b11"]);
    await end("a12");
    await end("a11");
    expect([...begun.keys()]).toEqual(["a11", "a12", "b11", "a13", "a14"]);
    expect(cut).toEqual([]);
  });

  test("one that has waited too long is refused before it begins, and one for which there is no room to wait at once", async () => {
    const { responses, clock, begun, refused, cut, enter } = openLimit(5_000);
    await enter("a11", "a12", "a13", "a14", "a15", "a16");
    expect(refused).toEqual(["a16"]);
    clock.nowMs = 5_000;
    await until("all that wait are refused", () => refused.length === 4);
    expect([...begun.keys()]).toEqual(["a11", "a12"]);
    expect(cut).toEqual([]);
    expect(responses.use).toEqual({ inUse: 2, limit: 5, refused: 4 });
  });

  test("one whose caller takes nothing for four seconds ends if another of its client waits for its room", async () => {
    const { responses, clock, begun, cut, enter, send } = openLimit();
    await enter("a11", "a12", "b11", "a13");
    send("a12", "b11");
    clock.nowMs = stalledMs;
    await until("the one that is waiting begins", () => begun.has("a13"));
    // Nobody waits for that of the other client, and the server still works on the first one.
    expect(cut).toEqual(["a12"]);
    expect(responses.use).toEqual({ inUse: 3, limit: 5, refused: 1 });
  });

  test.each([
    ["of its network", ["a11", "a12", "a21", "a22", "b11"], "a31", ["a11", "a12", "a21", "a22"]],
    ["in all", ["a11", "a12", "a21", "b11", "b12"], "c11", ["a11", "a12", "a21", "b11", "b12"]],
  ])(
    "where the limit %s is reached, one that is stalled ends for whoever waits",
    async (_, full, waiting, inTheWay) => {
      const { clock, begun, cut, enter, send } = openLimit();
      await enter(...full, waiting);
      expect(begun.has(waiting)).toBe(false);
      send(...full);
      clock.nowMs = stalledMs;
      await until("the one that is waiting begins", () => begun.has(waiting));
      // As soon as none waits any more, none ends.
      expect(cut).toHaveLength(1);
      expect(inTheWay).toContain(cut[0] ?? "");
    },
  );

  test("while none waits, none ends, however long its caller takes nothing", async () => {
    const { clock, cut, enter, send } = openLimit();
    await enter("a11", "a12", "a21", "a22", "b11");
    send("a11", "a12", "a21", "a22", "b11");
    clock.nowMs = 100 * stalledMs;
    await nextCheck();
    expect(cut).toEqual([]);
  });

  test("one that cannot be refused begins at once, and the most stalled one in its way ends", async () => {
    const { responses, clock, begun, cut, enter, enterAtOnce, send } = openLimit();
    await enter("a11", "a12", "b11", "b12", "c11");
    send("b11");
    clock.nowMs = 10;
    send("a12");
    enterAtOnce("a13");
    expect(cut).toEqual(["a12"]);
    await enter("c12");
    enterAtOnce("d11");
    expect(cut).toEqual(["a12", "b11"]);
    expect(begun.has("c12")).toBe(false);
    expect(responses.use.inUse).toBe(5);
  });

  test("one that has ended makes room once", async () => {
    const { responses, enter, end } = openLimit();
    await enter("a11", "a12", "b11");
    await end("a11");
    await end("a11");
    expect(responses.use.inUse).toBe(2);
  });
});
