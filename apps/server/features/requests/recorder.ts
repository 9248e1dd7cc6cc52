import { Worker } from "node:worker_threads";
import type { FromJournal, JournalSettings, ToJournal } from "./journal-thread.ts";

export interface RecorderObserver {
  entriesDropped(count: number): void;
  journalFailed(reason: string): void;
}

/** When the journal cannot be written, this many entries are kept for it; what comes after is dropped and counted. */
const mostKept = 200_000;

/** Passes what is to be written down about requests on to the journal's thread. */
export class Recorder {
  readonly #thread: Worker;
  readonly #observer: RecorderObserver;
  #kept = 0;
  #closed: () => void = () => {};

  constructor(settings: JournalSettings, observer: RecorderObserver) {
    this.#observer = observer;
    this.#thread = new Worker(new URL("./journal-thread.ts", import.meta.url), { workerData: settings });
    this.#thread.on("message", (message: FromJournal) => this.#hear(message));
    this.#thread.on("error", (error) => observer.journalFailed(String(error)));
  }

  /** `entries` is a JSON array of this many entries, unopened. */
  record(entries: string, count: number): void {
    if (this.#kept + count > mostKept) {
      this.#observer.entriesDropped(count);
      return;
    }
    this.#kept += count;
    this.#post({ kind: "entries", entries });
  }

  /** Writes what is left and ends the thread. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#closed = resolve;
    });
    this.#post({ kind: "close" });
    await closed;
    await this.#thread.terminate();
  }

  #hear(message: FromJournal): void {
    switch (message.kind) {
      case "written":
        this.#kept -= message.count;
        break;
      case "failed":
        this.#observer.journalFailed(message.reason);
        break;
      case "closed":
        this.#closed();
        break;
    }
  }

  #post(message: ToJournal): void {
    this.#thread.postMessage(message);
  }
}
