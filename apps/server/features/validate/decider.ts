import { Worker } from "node:worker_threads";
import { reasonOf } from "../../log.ts";
import { OperatorProblem } from "../../problem.ts";
import type { DeciderSettings } from "./decider-thread.ts";
import type { Answer, Ask, FromDecider, ToDecider } from "./messages.ts";

/** A request that wants to be decided. */
export interface Asker {
  /** Called at the end of the turn, when a body that came with its headers is there. */
  ask(slot: number): { readonly ask: Ask; readonly text: string };
  /** `text` belongs to an answer of the kind `told`. */
  answered(answer: Answer, text: string): void;
}

export interface DeciderObserver {
  batchDone(calls: number, seconds: number): void;
  batchFailed(calls: number, reason: string): void;
  /** What is to be written down about requests: a JSON array of this many entries. */
  entries(json: string, count: number): void;
  /** The deciding thread is gone. Nothing can be answered any more. */
  died(reason: string): void;
}

/** Starts the deciding thread and waits until its database is open and migrated. */
export async function startDecider(settings: DeciderSettings, observer: DeciderObserver): Promise<Decider> {
  const thread = new Worker(new URL("./decider-thread.ts", import.meta.url), { workerData: settings });
  await new Promise<void>((resolve, reject) => {
    thread.once("error", reject);
    thread.once("message", (message: FromDecider) => {
      if (message.kind === "cannot_start") reject(new OperatorProblem(message.message));
      else resolve();
    });
  });
  return new Decider(thread, observer);
}

/** Nobody waits longer than this for a verdict; it becomes a 503. */
const longestWaitMs = 1_900;
const checkEveryMs = 100;

/** The main thread's end: gathers what is asked in one turn of the event loop, and passes answers to who asked. */
export class Decider {
  readonly #thread: Worker;
  readonly #observer: DeciderObserver;
  readonly #waiting = new Map<number, Asker>();
  readonly #pings = new Map<number, (alive: boolean) => void>();
  readonly #overdueTimer: ReturnType<typeof setInterval>;
  /** Which slots had been given out by when, oldest first. */
  readonly #marks: { readonly atMs: number; readonly slot: number }[] = [];
  #askers: Asker[] = [];
  #number = 0;
  #closed: () => void = () => {};

  constructor(thread: Worker, observer: DeciderObserver) {
    this.#thread = thread;
    this.#observer = observer;
    thread.on("message", (message: FromDecider) => this.#hear(message));
    thread.on("error", (error) => observer.died(reasonOf(error)));
    this.#overdueTimer = setInterval(() => this.#giveUpOverdue(performance.now()), checkEveryMs);
  }

  submit(asker: Asker): void {
    if (this.#askers.length === 0) setImmediate(() => this.#send());
    this.#askers.push(asker);
  }

  /** How many requests have been taken in and not yet answered. */
  get size(): number {
    return this.#askers.length + this.#waiting.size;
  }

  /** Whether the database answers the deciding thread. */
  ping(): Promise<boolean> {
    this.#number += 1;
    const id = this.#number;
    this.#post({ kind: "ping", id });
    return new Promise((resolve) => this.#pings.set(id, resolve));
  }

  /** Closes the database and ends the thread. */
  async close(): Promise<void> {
    clearInterval(this.#overdueTimer);
    const closed = new Promise<void>((resolve) => {
      this.#closed = resolve;
    });
    this.#post({ kind: "close" });
    await closed;
    await this.#thread.terminate();
  }

  #send(): void {
    const askers = this.#askers;
    this.#askers = [];
    let texts = "";
    const asks = askers.map((asker) => {
      this.#number += 1;
      this.#waiting.set(this.#number, asker);
      const { ask, text } = asker.ask(this.#number);
      texts += text;
      return ask;
    });
    this.#post({ kind: "asks", asks: JSON.stringify(asks), texts });
  }

  /** A thread that waits for a disk or a lock cannot say so itself. */
  #giveUpOverdue(nowMs: number): void {
    this.#marks.push({ atMs: nowMs, slot: this.#number });
    let lastOverdue = -1;
    while (this.#marks[0] !== undefined && this.#marks[0].atMs <= nowMs - longestWaitMs + checkEveryMs) {
      lastOverdue = this.#marks.shift()?.slot ?? lastOverdue;
    }
    let overdue = 0;
    for (const [slot, asker] of this.#waiting) {
      if (slot > lastOverdue) break;
      this.#waiting.delete(slot);
      asker.answered([slot, "failed"], "");
      overdue += 1;
    }
    if (overdue > 0) this.#observer.batchFailed(overdue, `No verdict within ${longestWaitMs} ms.`);
  }

  #hear(message: FromDecider): void {
    switch (message.kind) {
      case "answers":
        this.#pass(JSON.parse(message.answers), message.texts);
        for (const [calls, seconds] of message.batches) this.#observer.batchDone(calls, seconds);
        break;
      case "entries":
        this.#observer.entries(message.entries, message.count);
        break;
      case "batch_failed":
        this.#observer.batchFailed(message.calls, message.reason);
        break;
      case "pong":
        this.#pings.get(message.id)?.(message.alive);
        this.#pings.delete(message.id);
        break;
      case "closed":
        this.#closed();
        break;
      case "ready":
      case "cannot_start":
        break;
    }
  }

  #pass(answers: readonly Answer[], texts: string): void {
    let from = 0;
    for (const answer of answers) {
      const length = answer[1] === "told" ? answer[4] : 0;
      const asker = this.#waiting.get(answer[0]);
      this.#waiting.delete(answer[0]);
      asker?.answered(answer, texts.slice(from, from + length));
      from += length;
    }
  }

  #post(message: ToDecider): void {
    this.#thread.postMessage(message);
  }
}
