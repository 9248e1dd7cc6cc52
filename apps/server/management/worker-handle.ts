import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { threadFile } from "@countersign/store/built";
import type { MainStore } from "@countersign/store/worker-store";
import type { Environment } from "../config.ts";
import type { JournalOfOrganizations } from "../features/organizations/remove-due.ts";
import { type Log, reasonOf } from "../log.ts";
import type { FromWorker, ToWorker, WorkerSettings } from "./messages.ts";

const restartAfterMs = 1_000;
/** How long a server that is shutting down waits for the worker. */
const longestStopMs = 7_000;

export interface WorkerParts {
  readonly store: MainStore;
  readonly environment: Environment;
  readonly journal: JournalOfOrganizations;
  readonly log: Log;
  /** The code of the thread. */
  readonly file?: URL;
}

/** Starts the management worker, restarts it if it exits, and knows where it listens. */
export class ManagementWorker {
  readonly #parts: WorkerParts;
  /** Only this user can access it: the worker trusts what the socket says about callers. */
  readonly #folder = mkdtempSync(join(tmpdir(), "countersign-"));
  #thread: Worker | null = null;
  #starting: PromiseWithResolvers<string> = unheard();
  #stopping: PromiseWithResolvers<void> | null = null;
  #restart: ReturnType<typeof setTimeout> | undefined;
  #starts = 0;

  private constructor(parts: WorkerParts) {
    this.#parts = parts;
  }

  /** Rejects if the worker cannot start. */
  static async start(parts: WorkerParts): Promise<ManagementWorker> {
    const worker = new ManagementWorker(parts);
    worker.#start();
    try {
      await worker.#starting.promise;
    } catch (error) {
      await worker.stop();
      throw error;
    }
    return worker;
  }

  /** The socket that it listens on, once it does. */
  get socket(): Promise<string> {
    return this.#starting.promise;
  }

  drain(): void {
    this.#post({ kind: "drain" });
  }

  /** Ends the thread, after its background work has reached a point where it can be resumed. */
  async stop(): Promise<void> {
    clearTimeout(this.#restart);
    this.#stopping ??= Promise.withResolvers();
    const thread = this.#thread;
    if (thread !== null) {
      const timer = setTimeout(() => this.#stopping?.resolve(), longestStopMs);
      this.#post({ kind: "stop" });
      await this.#stopping.promise;
      clearTimeout(timer);
      await thread.terminate();
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #start(): void {
    this.#starts += 1;
    const { opening: database, transfer } = this.#parts.store.forWorker();
    const socket = join(this.#folder, `${this.#starts}.sock`);
    const settings: WorkerSettings = { environment: { ...this.#parts.environment }, database, socket };
    const file = this.#parts.file ?? threadFile("management-worker", import.meta.url);
    const thread = new Worker(file, {
      workerData: settings,
      transferList: transfer,
    });
    thread.on("message", (message: FromWorker) => this.#hear(message, socket));
    thread.on("error", (error) => this.#end(thread, reasonOf(error)));
    thread.on("exit", () => this.#end(thread, "The thread has ended."));
    this.#thread = thread;
  }

  #end(thread: Worker, reason: string): void {
    if (this.#thread !== thread) return;
    this.#thread = null;
    this.#stopping?.resolve();
    if (this.#stopping !== null) return;
    this.#parts.log.error("The management worker exited. Restarting it.", { reason });
    this.#starting.reject(new Error(reason));
    this.#starting = unheard();
    this.#restart = setTimeout(() => this.#start(), restartAfterMs);
  }

  #hear(message: FromWorker, socket: string): void {
    const { log, journal } = this.#parts;
    switch (message.kind) {
      case "ready":
        this.#starting.resolve(socket);
        break;
      case "failed":
        if (this.#stopping !== null) this.#stopping.resolve();
        else this.#failed(message.reason);
        break;
      case "log":
        log[message.level](message.message, message.fields);
        break;
      case "forget": {
        const { organizationId } = message;
        const done = (problem: string | null) => this.#post({ kind: "forgotten", organizationId, problem });
        journal.forget(organizationId).then(
          () => done(null),
          (error) => done(reasonOf(error)),
        );
        break;
      }
      case "stopped":
        this.#stopping?.resolve();
        break;
    }
  }

  /** A worker that failed to start is terminated: parts of it may be running. */
  #failed(reason: string): void {
    const thread = this.#thread;
    if (thread === null) return;
    void thread.terminate();
    this.#end(thread, reason);
  }

  #post(message: ToWorker): void {
    this.#thread?.postMessage(message);
  }
}

/** A start whose failure may go unobserved. */
function unheard(): PromiseWithResolvers<string> {
  const outcome = Promise.withResolvers<string>();
  outcome.promise.catch(() => {});
  return outcome;
}
