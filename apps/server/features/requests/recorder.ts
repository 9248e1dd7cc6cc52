import { Worker } from "node:worker_threads";
import type { JournalEntry } from "@countersign/store/journal";
import type { FromJournal, JournalSettings, ToJournal } from "./journal-thread.ts";

export interface RecorderObserver {
  entriesDropped(count: number): void;
  journalFailed(reason: string): void;
}

/** When the journal cannot be written, this many entries are kept for it; what comes after is dropped and counted. */
const mostKept = 200_000;

/** Nobody waits for these, and every message has a price on both sides. */
const gatherMs = 100;

/** Passes what is to be written down about requests on to the journal's thread. */
export class Recorder {
  readonly #thread: Worker;
  readonly #observer: RecorderObserver;
  #gathered: JournalEntry[] = [];
  /** How many entries the thread has and has not written yet. */
  #kept = 0;
  #closed: () => void = () => {};
  readonly #forgetting = new Map<string, PromiseWithResolvers<void>>();

  constructor(settings: JournalSettings, observer: RecorderObserver) {
    this.#observer = observer;
    this.#thread = new Worker(new URL("./journal-thread.ts", import.meta.url), { workerData: settings });
    this.#thread.on("message", (message: FromJournal) => this.#hear(message));
    this.#thread.on("error", (error) => observer.journalFailed(String(error)));
  }

  record(entry: JournalEntry): void {
    if (this.#gathered.length === 0) setTimeout(() => this.#send(), gatherMs);
    this.#gathered.push(entry);
  }

  /** Removes from the journal what it has about an organization, little by little. Rejects when it did not get through. */
  forget(organizationId: string): Promise<void> {
    const known = this.#forgetting.get(organizationId);
    if (known !== undefined) return known.promise;
    const outcome = Promise.withResolvers<void>();
    this.#forgetting.set(organizationId, outcome);
    this.#post({ kind: "forget", organizationId });
    return outcome.promise;
  }

  /** Writes what is left and ends the thread. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#closed = resolve;
    });
    this.#send();
    this.#post({ kind: "close" });
    await closed;
    await this.#thread.terminate();
  }

  #send(): void {
    const entries = this.#gathered;
    if (entries.length === 0) return;
    this.#gathered = [];
    if (this.#kept + entries.length > mostKept) {
      this.#observer.entriesDropped(entries.length);
      return;
    }
    this.#kept += entries.length;
    this.#post({ kind: "entries", entries: JSON.stringify(entries) });
  }

  #hear(message: FromJournal): void {
    switch (message.kind) {
      case "written":
        this.#kept -= message.count;
        break;
      case "failed":
        this.#observer.journalFailed(message.reason);
        break;
      case "forgotten": {
        const outcome = this.#forgetting.get(message.organizationId);
        this.#forgetting.delete(message.organizationId);
        if (message.problem === null) outcome?.resolve();
        else outcome?.reject(new Error(message.problem));
        break;
      }
      case "closed":
        this.#closed();
        break;
    }
  }

  #post(message: ToJournal): void {
    this.#thread.postMessage(message);
  }
}
