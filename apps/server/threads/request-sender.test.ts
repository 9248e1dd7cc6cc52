import { describe, expect, test } from "bun:test";
import type { ToWorker } from "./messages.ts";
import { type ProgressObserver, RequestSender } from "./request-sender.ts";

/** A sender whose worker is this test. */
function openSender() {
  const sent: ToWorker[] = [];
  const stages: string[] = [];
  let giveUp = () => {};
  const progress: ProgressObserver = {
    readsBody: (given) => {
      giveUp = given;
      stages.push("body");
    },
    bodyEnded: () => {},
    waits: () => stages.push("waits"),
    resumes: () => stages.push("resumes"),
    sendsPieces: () => {
      stages.push("pieces");
      return true;
    },
    pieceAsked: () => {},
    pieceSent: () => {},
    ended: () => stages.push("ended"),
  };
  const sender = new RequestSender((message) => sent.push(message));
  const left = new AbortController();
  const send = (body: ReadableStream<Uint8Array> | null = null) =>
    sender.send({ method: "POST", target: "/", headers: [], body, signal: left.signal }, progress);
  const kinds = () => sent.map(({ kind }) => kind);
  return { sender, sent, stages, send, left, kinds, giveUp: () => giveUp() };
}

const head = { kind: "response", id: 1, headers: [], isHeld: false, silentSeconds: 5 } as const;

function endlessBody(): ReadableStream<Uint8Array> {
  return new ReadableStream({ pull: (into) => into.enqueue(new Uint8Array(10)) });
}

describe("requests that are sent to the worker", () => {
  test("a body that was given up never ends as if it were whole", async () => {
    const { sender, sent, send, giveUp } = openSender();
    void send(endlessBody()).catch(() => {});
    sender.receive({ kind: "read_body", id: 1 });
    await Bun.sleep(1);
    expect(sent.at(-1)).toMatchObject({ kind: "body", piece: expect.any(Uint8Array) });
    giveUp();
    sender.receive({ kind: "read_body", id: 1 });
    await Bun.sleep(1);
    expect(sent.slice(-2)).toEqual([
      { kind: "body_failed", id: 1, isTooSlow: true },
      { kind: "body_failed", id: 1, isTooSlow: true },
    ]);
  });

  test("a response that cannot be sent is a failure of its request only", async () => {
    const { sender, stages, send } = openSender();
    const response = send();
    sender.receive({ ...head, status: 99, body: new Uint8Array(1), isRejection: false });
    expect(await response.catch(String)).toContain("Error");
    expect(stages).toEqual(["ended"]);
  });

  test("a worker that exits fails the requests without a response, and breaks off those that are being sent", async () => {
    const { sender, send } = openSender();
    const first = send();
    sender.receive({ ...head, status: 200, body: null, isRejection: false });
    const reading = (await first)?.text();
    const second = send();
    sender.fail("It has exited.");
    expect(await second.catch(String)).toContain("It has exited.");
    expect(await reading?.catch(String)).toContain("It has exited.");
  });

  test("a response that breaks off while its caller takes nothing fails at once, and never looks whole", async () => {
    const { sender, stages, send } = openSender();
    const response = send();
    sender.receive({ ...head, status: 200, body: null, isRejection: false });
    const reader = (await response)?.body?.getReader();
    const first = reader?.read();
    sender.receive({ kind: "piece", id: 1, piece: new Uint8Array(1) });
    expect(await first).toMatchObject({ done: false });
    sender.receive({ kind: "piece_failed", id: 1 });
    expect(stages).toEqual(["pieces", "ended"]);
    expect(String(await reader?.read().catch(String))).toContain("The rest of the response will not follow.");
  });

  test("the worker learns once that a caller has left, and what it sends afterwards is ignored", async () => {
    const { sender, stages, send, left, kinds } = openSender();
    const response = send();
    left.abort();
    expect(await response.catch(String)).toContain("The caller is gone.");
    left.abort();
    sender.receive({ ...head, status: 200, body: new Uint8Array(1), isRejection: false });
    expect(kinds().filter((kind) => kind === "left")).toHaveLength(1);
    expect(stages).toEqual(["ended"]);
  });

  test("a worker that does not react for seconds is unresponsive until it does", async () => {
    const { sender, send } = openSender();
    const realNow = performance.now.bind(performance);
    let laterMs = 0;
    performance.now = () => realNow() + laterMs;
    try {
      laterMs = 1_000;
      void send().catch(() => {});
      expect(sender.isUnresponsive).toBe(false);
      laterMs += 3_100;
      expect(sender.isUnresponsive).toBe(true);
      sender.receive({ kind: "pong" });
      expect(sender.isUnresponsive).toBe(false);
    } finally {
      performance.now = realNow;
    }
  });
});
