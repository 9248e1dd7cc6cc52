import { Worker } from "node:worker_threads";
import type { JournalEntry } from "@countersign/store/journal";
import type { DatabaseLocation } from "@countersign/store/open";

export interface RecorderSettings {
  readonly location: DatabaseLocation;
  readonly keepDays: number;
}

export type ToRecorder = { kind: "entries"; entries: string } | { kind: "close" };
export type FromRecorder =
  | { kind: "written"; count: number }
  | { kind: "failed"; message: string }
  | { kind: "closed" };

export interface RecorderObserver {
  entriesDropped(count: number): void;
  journalFailed(message: string): void;
}

/** When the journal cannot be written, this many entries are kept for it; what comes after is dropped and counted. */
const mostOutstanding = 100_000;

/** Hands what is to be written down about requests to another thread, once a turn of the event loop. */
export class Recorder {
  readonly #thread: Worker;
  readonly #observer: RecorderObserver;
  #entries: JournalEntry[] = [];
  #outstanding = 0;
  #closed: () => void = () => {};

  constructor(location: DatabaseLocation, keepDays: number, observer: RecorderObserver) {
    this.#observer = observer;
    this.#thread = new Worker(new URL("./recorder-thread.ts", import.meta.url), {
      workerData: { location, keepDays } satisfies RecorderSettings,
    });
    this.#thread.on("message", (message: FromRecorder) => this.#hear(message));
  }

  record(entry: JournalEntry): void {
    if (this.#entries.length === 0) setImmediate(() => this.#send());
    this.#entries.push(entry);
  }

  async close(): Promise<void> {
    this.#send();
    const closed = new Promise<void>((resolve) => {
      this.#closed = resolve;
    });
    this.#post({ kind: "close" });
    await closed;
    await this.#thread.terminate();
  }

  #send(): void {
    const entries = this.#entries;
    if (entries.length === 0) return;
    this.#entries = [];
    if (this.#outstanding + entries.length > mostOutstanding) {
      this.#observer.entriesDropped(entries.length);
      return;
    }
    this.#outstanding += entries.length;
    // One string crosses between threads much faster than many small arrays.
    this.#post({ kind: "entries", entries: JSON.stringify(entries) });
  }

  #hear(message: FromRecorder): void {
    switch (message.kind) {
      case "written":
        this.#outstanding -= message.count;
        break;
      case "failed":
        this.#observer.journalFailed(message.message);
        break;
      case "closed":
        this.#closed();
        break;
    }
  }

  #post(message: ToRecorder): void {
    this.#thread.postMessage(message);
  }
}
