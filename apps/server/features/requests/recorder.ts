import { threadFile } from "@countersign/store/built";
import type { JournalEntry } from "@countersign/store/journal";
import { type ThreadCalls, WorkerThread } from "../../base/worker-thread.ts";
import { entriesMessage } from "./entries-message.ts";
import { FoldedEntries } from "./folded-entries.ts";
import type {
  CustomerOfOrganization,
  JournalCalls,
  JournalReports,
  JournalSettings,
} from "./journal-thread.ts";

interface RecorderObserver {
  /** The log was too large: requests before this time were deleted, before their time. */
  logCut(organizationIds: readonly string[]): void;
  entriesDropped(count: number): void;
  journalFailed(reason: string): void;
  geoipFailed(reason: string): void;
}

/** What the recorder knows about the request log. */
export interface RequestLogState {
  readonly written: number;
  readonly waiting: number;
  /** The age of the oldest entry that is not written; 0 if there is none. */
  readonly lagMs: number;
  readonly dropped: number;
  /** Failed attempts to write. */
  readonly failures: number;
  /** How often the log was cut before its time, because it was too large. */
  readonly cuts: number;
  readonly segmentsClosed: number;
}

/** How many entries are kept while the journal cannot be written; further ones are dropped and counted. */
const maxKept = 200_000;

/** Nobody waits for these, and every message costs time on both sides. */
const gatherMs = 100;

/** Passes log entries to the journal thread. */
export class Recorder {
  readonly #observer: RecorderObserver;
  readonly #thread: WorkerThread<JournalCalls, JournalReports>;
  #gathered: JournalEntry[] = [];
  #gatheredSinceMs = 0;
  /** What the thread has received but not written yet. */
  readonly #kept = new Unwritten();
  readonly #total = { written: 0, dropped: 0, failures: 0, cuts: 0, segmentsClosed: 0 };
  readonly #deletions = new Map<string, Promise<void>>();
  readonly #folded = new FoldedEntries((entry) => this.#keep(entry));

  constructor(settings: JournalSettings, observer: RecorderObserver) {
    this.#observer = observer;
    this.#thread = new WorkerThread({
      open: () => ({ file: threadFile("journal-thread", import.meta.url), data: settings }),
      offers: {
        written: (count) => {
          this.#kept.written(count);
          this.#total.written += count;
        },
        closed: () => {
          this.#total.segmentsClosed += 1;
        },
        cut: (organizationIds) => {
          this.#total.cuts += 1;
          observer.logCut(organizationIds);
        },
        failed: (reason) => this.#failed(reason),
        geoipFailed: (reason) => observer.geoipFailed(reason),
      },
      exited: (reason) => {
        this.#failed(reason);
        this.#dropKept();
      },
    });
  }

  record(entry: JournalEntry): void {
    if (this.#folded.concerns(entry)) this.#folded.add(entry);
    else this.#keep(entry);
  }

  #keep(entry: JournalEntry): void {
    if (this.#gathered.length === 0) {
      this.#gatheredSinceMs = performance.now();
      setTimeout(() => this.#send(), gatherMs);
    }
    this.#gathered.push(entry);
  }

  get state(): RequestLogState {
    const gatheredMs = this.#gathered.length === 0 ? null : this.#gatheredSinceMs;
    const oldestMs = this.#kept.oldestMs ?? gatheredMs;
    return {
      ...this.#total,
      waiting: this.#kept.count + this.#gathered.length,
      lagMs: oldestMs === null ? 0 : performance.now() - oldestMs,
    };
  }

  /** Deletes an organization's data from the journal, step by step. Rejects if it did not complete. */
  deleteOrganization(organizationId: string): Promise<void> {
    return this.#deleteOnce(organizationId, (calls) => calls.request("deleteOrganization", organizationId));
  }

  /** The same for what is logged about the licenses of a customer who is being erased. */
  eraseCustomer(customer: CustomerOfOrganization): Promise<void> {
    return this.#deleteOnce(customer.customerId, (calls) => calls.request("eraseCustomer", customer));
  }

  #deleteOnce(id: string, request: (calls: ThreadCalls<JournalCalls>) => Promise<void>): Promise<void> {
    const known = this.#deletions.get(id);
    if (known !== undefined) return known;
    const { calls } = this.#thread;
    if (calls === null)
      return Promise.reject(new Error("The thread that writes the request log has exited."));
    const deletion = request(calls).finally(() => this.#deletions.delete(id));
    this.#deletions.set(id, deletion);
    return deletion;
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
    if (this.#kept.count > 0) this.#dropped(this.#kept.count);
    this.#kept.clear();
  }

  #dropped(count: number): void {
    this.#total.dropped += count;
    this.#observer.entriesDropped(count);
  }

  #failed(reason: string): void {
    this.#total.failures += 1;
    this.#observer.journalFailed(reason);
  }

  #send(): void {
    const entries = this.#gathered;
    if (entries.length === 0) return;
    this.#gathered = [];
    const { calls } = this.#thread;
    if (calls === null || this.#kept.count + entries.length > maxKept) {
      this.#dropped(entries.length);
      return;
    }
    this.#kept.add(entries.length, this.#gatheredSinceMs);
    calls.notify("entries", entriesMessage(entries));
  }
}

/** How many entries wait to be written, and for how long the oldest has waited. Entries are written in order. */
export class Unwritten {
  readonly #lists: { count: number; readonly sinceMs: number }[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Since when the oldest has waited; null if none waits. */
  get oldestMs(): number | null {
    return this.#lists[0]?.sinceMs ?? null;
  }

  add(count: number, sinceMs: number): void {
    this.#lists.push({ count, sinceMs });
    this.#count += count;
  }

  written(count: number): void {
    this.#count -= count;
    for (let left = count; left > 0; ) {
      const first = this.#lists[0];
      if (first === undefined) return;
      const taken = Math.min(left, first.count);
      first.count -= taken;
      left -= taken;
      if (first.count === 0) this.#lists.shift();
    }
  }

  clear(): void {
    this.#lists.length = 0;
    this.#count = 0;
  }
}
