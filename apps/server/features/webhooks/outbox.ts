import type { AllowedTargets } from "@countersign/domain/webhooks/addresses";
import type { Store } from "@countersign/store/store";
import { inBursts, type Log, type LogFields, reasonOf } from "../../log.ts";
import { courteous } from "../license-files/pace.ts";
import { systemResolver } from "./addresses.ts";
import { Dispatcher, type DispatcherParts } from "./dispatch.ts";
import { distributeSome } from "./distribute.ts";
import { type Sender, send, sendTimeoutMs } from "./send.ts";

/** How often it is looked for something new when there is nothing to do. */
const idleMs = 250;
/** The same while nobody has written anything: only the time for another attempt may have come. */
const stillMs = 1_000;
/** So long what ended is gathered before it is written down together. */
const gatherMs = 50;
/** This many times as long as a round took, others have the time. */
const restFactor = 2;
const longestRestMs = 500;
const troubleMs = 1_000;
const logEveryMs = 10_000;

/** Distributes events and sends deliveries, from its making until it is closed. */
export class Outbox {
  readonly #store: Store;
  readonly #dispatcher: Dispatcher;
  readonly #tellTrouble: (count: number, reason: string) => void;
  readonly #working: Promise<void>;
  #wake: () => void = () => {};
  #isWoken = false;
  #isClosed = false;

  constructor(store: Store, url: string, sender: Sender, log: Log) {
    this.#store = store;
    this.#tellTrouble = inBursts<string>(logEveryMs, (rounds, reason) =>
      log.warn("Webhooks could not be worked on. It will be tried again.", { rounds, reason }),
    );
    const wake = () => {
      this.#isWoken = true;
      this.#wake();
    };
    const tellRefused = inBursts<LogFields>(logEveryMs, (count, latest) =>
      log.error("The database refuses to keep how an attempt to deliver an event ended.", {
        count,
        ...latest,
      }),
    );
    const refused: DispatcherParts["refused"] = ({ attempt }, reason, isOver) =>
      tellRefused(1, {
        delivery: attempt.delivery_id,
        webhook: attempt.endpoint_id,
        reason,
        outcome: isOver ? "The event will be sent again." : "It was written down without what was said.",
      });
    this.#dispatcher = new Dispatcher({ store, url, send: sender, random: Math.random, wake, refused });
    this.#working = this.#work();
  }

  /** What is under way is given a moment. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake();
    await this.#working;
    try {
      await this.#dispatcher.close();
    } catch (error) {
      this.#tellTrouble(1, reasonOf(error));
    }
  }

  async #work(): Promise<void> {
    const pace = courteous(() => this.#store.judgedCalls);
    while (!this.#isClosed) {
      const startedMs = performance.now();
      try {
        const lastWrite = this.#store.lastWrite;
        const distributed = await distributeSome(this.#store, pace.rowsAtOnce());
        if (distributed > 0) await pace.rest(performance.now() - startedMs);
        this.#isWoken = distributed > 0;
        const sendingMs = performance.now();
        await this.#dispatcher.round();
        await this.#rest((performance.now() - sendingMs) * restFactor);
        await this.#beStill(startedMs + stillMs, lastWrite);
      } catch (error) {
        this.#tellTrouble(1, reasonOf(error));
        await this.#pause(troubleMs);
      }
    }
  }

  /** Until something ended, or it is time to look again. What ends meanwhile is gathered at first. */
  async #rest(leastMs: number): Promise<void> {
    const gatheringMs = Math.min(longestRestMs, Math.max(gatherMs, leastMs));
    await this.#pause(gatheringMs);
    if (!this.#isWoken) await this.#pause(idleMs - gatheringMs, () => this.#isWoken);
  }

  /** Until something was written since, something ended, or it is time. Not where a write is seen only by looking. */
  async #beStill(untilMs: number, lastWrite: number | null): Promise<void> {
    while (
      lastWrite !== null &&
      !this.#isWoken &&
      !this.#isClosed &&
      performance.now() < untilMs &&
      this.#store.lastWrite === lastWrite
    )
      await this.#pause(idleMs, () => this.#isWoken);
  }

  #pause(ms: number, isEnough = () => false): Promise<void> {
    if (this.#isClosed || ms <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        if (!this.#isClosed && !isEnough()) return;
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

export function webhookSender(allowed: AllowedTargets): Sender {
  return (outgoing, broken) =>
    send(outgoing, { allowed, resolve: systemResolver, timeoutMs: sendTimeoutMs }, broken);
}
