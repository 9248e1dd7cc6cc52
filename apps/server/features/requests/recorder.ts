import { Worker } from "node:worker_threads";
import { threadFile } from "@countersign/store/built";
import type { JournalEntry } from "@countersign/store/journal";
import type { FromJournal, JournalSettings, ToJournal } from "./journal-thread.ts";

export interface RecorderObserver {
  entriesDropped(count: number): void;
  journalFailed(reason: string): void;
}

/** How many entries are kept while the journal cannot be written; further ones are dropped and counted. */
const mostKept = 200_000;

/** Nobody waits for these, and every message costs time on both sides. */
const gatherMs = 100;

const beginAgainMs = 1_000;
const threadIsGone = "The thread that writes down requests has ended.";

/** Passes log entries to the journal thread. */
export class Recorder {
  readonly #settings: JournalSettings;
  readonly #observer: RecorderObserver;
  #thread: Worker | null = null;
  #again: ReturnType<typeof setTimeout> | undefined;
  #gathered: JournalEntry[] = [];
  /** How many entries the thread has received but not written yet. */
  #kept = 0;
  #closing: PromiseWithResolvers<void> | null = null;
  readonly #forgetting = new Map<string, PromiseWithResolvers<void>>();

  constructor(settings: JournalSettings, observer: RecorderObserver) {
    this.#settings = settings;
    this.#observer = observer;
    this.#begin();
  }

  record(entry: JournalEntry): void {
    if (this.#gathered.length === 0) setTimeout(() => this.#send(), gatherMs);
    this.#gathered.push(entry);
  }

  /** Deletes an organization's data from the journal, step by step. Rejects if it did not complete. */
  forget(organizationId: string): Promise<void> {
    const known = this.#forgetting.get(organizationId);
    if (known !== undefined) return known.promise;
    if (this.#thread === null) return Promise.reject(new Error(threadIsGone));
    const outcome = Promise.withResolvers<void>();
    this.#forgetting.set(organizationId, outcome);
    this.#post({ kind: "forget", organizationId });
    return outcome.promise;
  }

  /** Writes the remaining entries and ends the thread. */
  async close(): Promise<void> {
    clearTimeout(this.#again);
    this.#send();
    const thread = this.#thread;
    if (thread === null) return;
    this.#closing = Promise.withResolvers();
    this.#post({ kind: "close" });
    await this.#closing.promise;
    await thread.terminate();
  }

  #begin(): void {
    const file = threadFile("journal-thread", import.meta.url);
    const thread = new Worker(file, { workerData: this.#settings });
    thread.on("message", (message: FromJournal) => this.#hear(message));
    thread.on("error", (error) => this.#observer.journalFailed(String(error)));
    thread.on("exit", () => this.#end());
    this.#thread = thread;
  }

  /** The thread's entries are lost with it. A new thread replaces it; otherwise nothing would be logged any more. */
  #end(): void {
    this.#thread = null;
    if (this.#kept > 0) this.#observer.entriesDropped(this.#kept);
    this.#kept = 0;
    for (const outcome of this.#forgetting.values()) outcome.reject(new Error(threadIsGone));
    this.#forgetting.clear();
    this.#closing?.resolve();
    if (this.#closing !== null) return;
    this.#again = setTimeout(() => this.#begin(), beginAgainMs);
    this.#again.unref();
  }

  #send(): void {
    const entries = this.#gathered;
    if (entries.length === 0) return;
    this.#gathered = [];
    if (this.#thread === null || this.#kept + entries.length > mostKept) {
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
        this.#closing?.resolve();
        break;
    }
  }

  #post(message: ToJournal): void {
    this.#thread?.postMessage(message);
  }
}
