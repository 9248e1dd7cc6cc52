import type { Store } from "@countersign/store/store";
import { inBursts, type Log, type LogFields, reasonOf } from "../../../base/log.ts";
import { isStorageError } from "../../../base/storage-errors.ts";
import { ValidationLoad } from "../../../base/validation-load.ts";
import type { JobRuns } from "../../../jobs/job-runs.ts";
import { Dispatcher, type DispatcherParts } from "./dispatch.ts";
import { Distributor } from "./distribute.ts";
import type { Sender } from "./send.ts";

/** How often to check for new work when idle. */
const idleMs = 250;
/** The same if nothing was written: only a retry may have become due. */
const stillMs = 1_000;
/**
 * Results within this time are written together. A round costs the database the same for one delivery as for some tens.
 */
const gatherMs = { quiet: 50, busy: 200 };
/** The pause between rounds, as a multiple of the round's duration. */
const restFactor = { quiet: 0.5, busy: 3 };
const maxRestMs = 300;
/** Above this many validations a second, webhooks yield to them. */
const busyCallsPerSecond = 100;
const troubleMs = 1_000;
/** How it is listed among the periodic jobs: a run is one round. */
const job = { name: "webhook deliveries", everyMs: stillMs };
const logEveryMs = 10_000;

interface OutboxParts {
  readonly store: Store;
  /** The URL of this server, for emails. */
  readonly url: string;
  readonly sender: Sender;
  readonly log: Log;
  readonly runs: JobRuns;
}

/** Distributes events and sends deliveries, from its creation until it is closed. */
export class Outbox {
  readonly #store: Store;
  readonly #log: Log;
  readonly #runs: JobRuns;
  readonly #dispatcher: Dispatcher;
  readonly #distributor: Distributor;
  readonly #logTrouble: (count: number, reason: string) => void;
  readonly #working: Promise<void>;
  #wake: () => void = () => {};
  #isWoken = false;
  #isClosed = false;

  constructor({ store, url, sender, log, runs }: OutboxParts) {
    this.#store = store;
    this.#runs = runs;
    this.#distributor = new Distributor(store);
    this.#log = log;
    this.#logTrouble = inBursts<string>(logEveryMs, (rounds, reason) =>
      log.warn("Webhooks could not be processed. They will be retried.", { rounds, reason }),
    );
    const wake = () => {
      this.#isWoken = true;
      this.#wake();
    };
    // Limited separately, so that neither outcome hides the other.
    const refusalsWith = (outcome: string) =>
      inBursts<LogFields>(logEveryMs, (count, latest) =>
        log.error("The database rejected the result of a webhook delivery.", { count, ...latest, outcome }),
      );
    const logStoredInPart = refusalsWith("It was stored without the request and the response.");
    const logGivenUp = refusalsWith("The event will be sent again.");
    const refused: DispatcherParts["refused"] = ({ deliveryId, endpointId, reason, isOver }) => {
      const logRefusal = isOver ? logGivenUp : logStoredInPart;
      logRefusal(1, { delivery: deliveryId, webhook: endpointId ?? undefined, reason });
    };
    this.#dispatcher = new Dispatcher({ store, url, send: sender, random: Math.random, wake, refused });
    this.#working = this.#work();
  }

  /** What is in progress gets a moment to finish. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake();
    await this.#working;
    try {
      await this.#dispatcher.close();
    } catch (error) {
      if (!isStorageError(this.#log, error)) this.#logTrouble(1, reasonOf(error));
    }
  }

  async #work(): Promise<void> {
    const load = new ValidationLoad(() => this.#store.answeredCalls, busyCallsPerSecond);
    while (!this.#isClosed) {
      const startedMs = performance.now();
      const end = this.#runs.start(job);
      try {
        const lastWrite = this.#store.lastWrite;
        this.#isWoken = false;
        const distributed = await this.#distributor.round();
        const sent = await this.#dispatcher.round();
        if (distributed + sent > 0) this.#isWoken = true;
        end();
        await this.#rest(performance.now() - startedMs, load.isBusy() ? "busy" : "quiet");
        await this.#beStill(startedMs + stillMs, lastWrite);
      } catch (error) {
        end(error);
        if (!isStorageError(this.#log, error)) this.#logTrouble(1, reasonOf(error));
        await this.#sleep(troubleMs);
      }
    }
  }

  /** Until something ended, or it is time to check again. Results are collected for a moment first. */
  async #rest(roundMs: number, pace: keyof typeof gatherMs): Promise<void> {
    const gatheringMs = Math.min(maxRestMs, Math.max(gatherMs[pace], roundMs * restFactor[pace]));
    await this.#sleep(gatheringMs);
    if (!this.#isWoken) await this.#sleep(idleMs - gatheringMs, () => this.#isWoken);
  }

  /** Until something was written, something ended, or it is time. Not if a write can only be detected by querying. */
  async #beStill(untilMs: number, lastWrite: number | null): Promise<void> {
    while (
      lastWrite !== null &&
      !this.#isWoken &&
      !this.#isClosed &&
      performance.now() < untilMs &&
      this.#store.lastWrite === lastWrite
    )
      await this.#sleep(idleMs, () => this.#isWoken);
  }

  #sleep(ms: number, isEnough = () => false): Promise<void> {
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
