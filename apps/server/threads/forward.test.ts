import { expect, test } from "bun:test";
import { CidrSet } from "@countersign/domain/ip/cidr";
import { Forwarder } from "./forward.ts";
import type { ProgressObserver, SentRequest } from "./request-sender.ts";

/** A forwarder whose worker has a large response in memory to everything below `/large`, which nobody takes. */
function openForwarder() {
  let begun = 0;
  const answer = async ({ target }: SentRequest, progress: ProgressObserver) => {
    if (!target.startsWith("/large")) {
      progress.ended();
      return new Response("small");
    }
    if (!(await progress.sendsPieces(15, true, () => progress.ended()))) {
      progress.ended();
      return null;
    }
    begun += 1;
    return new Response("large");
  };
  const forwarder = new Forwarder({
    worker: { isUnresponsive: false, answer },
    failed: (error) => {
      throw error;
    },
    portalHost: null,
    trustedProxies: CidrSet.empty,
  });
  const answers: Response[] = [];
  const send = async (path: string, client: string, init: RequestInit = {}) => {
    const request = new Request(`http://localhost${path}`, { ...init, headers: { authorization: client } });
    const connection = { peer: "192.0.2.1", setIdleLimit: () => {} };
    answers.push(await forwarder.forward(request, connection, "id"));
  };
  return { forwarder, answers, send, begun: () => begun };
}

/** Everything that follows without waiting for time. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test("of one client, few large responses are in memory at a time, and its other requests wait before they are served", async () => {
  const { forwarder, send, begun } = openForwarder();
  for (let time = 0; time < 100; time++) void send("/large", "one");
  await settled();
  expect(begun()).toBe(10);
  expect(forwarder.budgets.large_responses).toEqual({ inUse: 10, limit: 40, refused: 0 });
  // Eight are in memory and wait.
  expect(forwarder.budgets.waiting_requests.inUse).toBe(82);
});

test("large responses that nobody takes, and those that wait for room, leave the slots of requests to all other clients", async () => {
  const { forwarder, answers, send } = openForwarder();
  for (let client = 0; client < 30; client++)
    for (let time = 0; time < 10; time++) void send("/large", `client ${client}`);
  await settled();
  expect(forwarder.budgets.large_responses.inUse).toBe(30);
  expect(forwarder.budgets.requests.inUse).toBe(0);
  const before = answers.length;
  void send("/small", "another");
  await settled();
  expect(await answers[before]?.text()).toBe("small");
});

test("a large response for which there is no room is refused, and the caller learns when to try again", async () => {
  const { answers, send } = openForwarder();
  for (let client = 0; client < 30; client++)
    for (let time = 0; time < 3; time++) void send("/large", `client ${client}`);
  await settled();
  const refused = answers.filter(({ status }) => status === 503);
  expect(refused.length).toBeGreaterThan(0);
  for (const answer of refused) {
    expect(answer.headers.get("retry-after")).toBe("1");
    expect(await answer.json()).toMatchObject({ code: "server_busy" });
  }
});

test("the large response to a change is never refused", async () => {
  const { forwarder, answers, send } = openForwarder();
  for (let time = 0; time < 15; time++) await send("/large", "one", { method: "POST" });
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 15 }, () => 200));
  expect(forwarder.budgets.large_responses).toEqual({ inUse: 10, limit: 40, refused: 5 });
});
