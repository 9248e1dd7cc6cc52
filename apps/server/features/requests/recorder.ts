import { threadFile } from "@countersign/store/built";
import type { JournalEntry } from "@countersign/store/journal";
import { WorkerThread } from "../../worker-thread.ts";
import { FoldedEntries } from "./folded-entries.ts";
import type { JournalCalls, JournalReports, JournalSettings } from "./journal-thread.ts";

export interface RecorderObserver {
  entriesWritten?(count: number): void;
  segmentClosed?(rows: number): void;
  /** The log was too large: requests before this time were deleted, before their time. */
  logCut?(untilMs: number): void;
  entriesDropped(count: number): void;
  journalFailed(reason: string): void;
}

/** How many entries are kept while the journal cannot be written; further ones are dropped and counted. */
const mostKept = 200_000;

/** Nobody waits for these, and every message costs time on both sides. */
const gatherMs = 100;

/** Passes log entries to the journal thread. */
export class Recorder {
  readonly #observer: RecorderObserver;
  readonly #thread: WorkerThread<JournalCalls, JournalReports>;
  #gathered: JournalEntry[] = [];
  /** How many entries the thread has received but not written yet. */
  #kept = 0;
  readonly #deletions = new Map<string, Promise<void>>();
  readonly #folded = new FoldedEntries((entry) => this.#keep(entry));

  constructor(settings: JournalSettings, observer: RecorderObserver) {
    this.#observer = observer;
    this.#thread = new WorkerThread({
      open: () => ({ file: threadFile("journal-thread", import.meta.url), data: settings }),
      offers: {
        written: (count) => {
          this.#kept -= count;
          observer.entriesWritten?.(count);
        },
        closed: (rows) => observer.segmentClosed?.(rows),
        cut: (untilMs) => observer.logCut?.(untilMs),
        failed: (reason) => observer.journalFailed(reason),
      },
      exited: (reason) => {
        observer.journalFailed(reason);
        this.#dropKept();
      },
    });
  }

  record(entry: JournalEntry): void {
    if (this.#folded.concerns(entry)) this.#folded.add(entry);
    else this.#keep(entry);
  }

  #keep(entry: JournalEntry): void {
    if (this.#gathered.length === 0) setTimeout(() => this.#send(), gatherMs);
    this.#gathered.push(entry);
  }

  /** Deletes an organization's data from the journal, step by step. Rejects if it did not complete. */
  deleteOrganization(organizationId: string): Promise<void> {
    const known = this.#deletions.get(organizationId);
    if (known !== undefined) return known;
    const { calls } = this.#thread;
    if (calls === null)
      return Promise.reject(new Error("The thread that writes the request log has exited."));
    const deletions = calls
      .request("deleteOrganization", organizationId)
      .finally(() => this.#deletions.delete(organizationId));
    this.#deletions.set(organizationId, deletions);
    return deletions;
  }

  /** Writes the remaining entries and ends the thread. */
  async close(): Promise<void> {
    this.#folded.flush(Date.now());
    this.#send();
    await this.#thread.stop();
    this.#dropKept();
  }

  /** The thread's entries are lost with it. */
  #dropKept(): void {
    if (this.#kept > 0) this.#observer.entriesDropped(this.#kept);
    this.#kept = 0;
  }

  #send(): void {
    const entries = this.#gathered;
    if (entries.length === 0) return;
    this.#gathered = [];
    const { calls } = this.#thread;
    if (calls === null || this.#kept + entries.length > mostKept) {
      this.#observer.entriesDropped(entries.length);
      return;
    }
    this.#kept += entries.length;
    calls.notify("entries", JSON.stringify(entries));
  }
}
