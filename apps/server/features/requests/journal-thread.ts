import { type DatabaseLocation, openJournal } from "@countersign/store/databases/open";
import type { JournalDeletion, JournalEntry, JournalErasure } from "@countersign/store/journal";
import type { Journal } from "@countersign/store/store";
import { ConcurrencyLimit } from "@countersign/store/threads/concurrency-limit";
import { reasonOf } from "../../base/log.ts";
import { runWorker, type ThreadCalls } from "../../base/worker-thread.ts";
import { repeatUntilZero } from "../../jobs/batches.ts";
import { GeoFile } from "../geoip/geo-file.ts";
import { entriesOf } from "./entries-message.ts";

export interface JournalSettings {
  readonly database: DatabaseLocation;
  /** What the environment sets; null for the settings in the database, which are read before each pruning. */
  readonly requestLogDays: number | null;
  readonly requestLogMegabytes: number | null;
  /** The GeoIP file; null for none. */
  readonly geoipFile: string | null;
}

export type CustomerOfOrganization = Pick<JournalErasure, "organizationId" | "customerId">;

/** What the journal thread can be asked to do. */
export interface JournalCalls {
  /** As `entriesMessage` writes them. */
  entries(message: string): void;
  /** Deletes an organization's data. */
  deleteOrganization(organizationId: string): Promise<void>;
  /** Erases what is logged about the licenses of a customer. */
  eraseCustomer(customer: CustomerOfOrganization): Promise<void>;
  /** Writes the remaining entries first. */
  stop(): Promise<void>;
}

/** What the journal thread reports. */
export interface JournalReports {
  written(count: number): void;
  /** A segment of the log was closed. */
  closed(rows: number): void;
  /** The log was too large: these organizations have the most requests, and lost their oldest before their time. */
  cut(organizationIds: readonly string[]): void;
  failed(reason: string): void;
  /** The GeoIP file, or a record of it, cannot be read. */
  geoipFailed(reason: string): void;
}

/** How long entries are collected. Many rows written together touch each page of the file once instead of once each. */
const gatherMs = 1_000;
/**
 * However many entries were collected while the database was unavailable, each write stays within the statement time
 * limit.
 */
const maxAtOnce = 5_000;
const pruneEveryMs = 60_000;
const closeEveryMs = 10_000;
const firstRunMs = 1_000;
/** Between two steps of deleting data. */
const restMs = 5;
/**
 * Validations come first. With more entries than this a second, closing a segment is followed by a rest nine times as
 * long: it takes a tenth of the time. Searches read what is not closed directly. After ten minutes it catches up.
 */
const busyEntries = 1_000;
const busyRests = 9;
const patienceMs = 600_000;
/** Between two steps of reading the log, which is not urgent. */
const sweepRestMs = 50;

/** A separate thread, so that writing the request log never delays a request. */
async function start(
  { database, requestLogDays, requestLogMegabytes, geoipFile }: JournalSettings,
  recorder: ThreadCalls<JournalReports>,
): Promise<JournalCalls> {
  const geo =
    geoipFile === null ? null : new GeoFile(geoipFile, (reason) => recorder.notify("geoipFailed", reason));
  await geo?.refresh();
  const journal = await openJournal(database, () => geo?.current ?? null);
  // One operation at a time: on PostgreSQL they all share one connection, and must not end up in each other's
  // transaction.
  const operations = new ConcurrencyLimit(1);
  const entries = new EntryWriter(journal, operations, recorder);
  const pauses = new Pauses();
  const repeat = (step: () => Promise<number>, ms: number) =>
    repeatUntilZero(
      () => operations.run(step),
      () => pauses.rest(ms),
      () => pauses.areOver,
    );
  const closeSegments = async () => {
    const startMs = performance.now();
    while (!pauses.areOver) {
      const stepMs = performance.now();
      const rows = await operations.run(() => journal.closeSegment(Date.now()));
      if (rows === 0) return;
      recorder.notify("closed", rows);
      const nowMs = performance.now();
      const isBusy = entries.isBusy && nowMs - startMs < patienceMs;
      await pauses.rest(isBusy ? (nowMs - stepMs) * busyRests : restMs);
    }
  };
  const prune = async () => {
    const environment = { days: requestLogDays, megabytes: requestLogMegabytes };
    const retention = await operations.run(() => journal.retention(environment));
    await repeat(() => journal.prune(retention, Date.now()), restMs);
    const cuts = await operations.run(() => journal.trim(retention.maxBytes));
    if (cuts.length > 0)
      recorder.notify(
        "cut",
        cuts.map(({ organizationId }) => organizationId),
      );
    await repeat(() => journal.sweep(retention, Date.now()), sweepRestMs);
  };
  /** Takes minutes for a large day. Nothing waits for it, and it ends with the journal. */
  const reclaim = () =>
    repeatUntilZero(
      () => journal.reclaim(Date.now()),
      () => pauses.rest(restMs),
      () => pauses.areOver,
    ).catch((error) => {
      if (!pauses.areOver) throw error;
    });
  /** One step at a time, so that log entries are written in between. */
  const inSteps = async <Step>(first: Step, run: (step: Step) => Promise<Step | null>) => {
    let next: Step | null = first;
    while (next !== null && !pauses.areOver) {
      const step: Step = next;
      next = await operations.run(() => run(step));
      await pauses.rest(restMs);
    }
    if (next !== null) throw new Error("The journal was closed.");
  };
  const closing = periodically(closeSegments, closeEveryMs, recorder);
  const pruning = periodically(prune, pruneEveryMs, recorder);
  const reclaiming = periodically(reclaim, pruneEveryMs, recorder);
  return {
    entries: (message) => entries.add(entriesOf(message)),
    deleteOrganization: (organizationId) =>
      inSteps<JournalDeletion>({ organizationId, part: "sightings", after: "" }, (step) =>
        journal.deleteOrganization(step),
      ),
    eraseCustomer: (customer) =>
      inSteps<JournalErasure>({ ...customer, part: "requests", after: "" }, (step) =>
        journal.eraseLicenses(step),
      ),
    stop: async () => {
      pauses.end();
      entries.stopTimer();
      await Promise.all([closing.stop(), pruning.stop()]);
      await entries.writeRest();
      const reclaimed = reclaiming.stop();
      await operations.run(() => journal.close());
      await reclaimed;
    },
  };
}

/** Collects entries, and writes them once a second. */
class EntryWriter {
  readonly #journal: Journal;
  readonly #operations: ConcurrencyLimit;
  readonly #recorder: ThreadCalls<JournalReports>;
  readonly #timer: ReturnType<typeof setInterval>;
  #waiting: JournalEntry[] = [];
  #writing: Promise<void> | null = null;
  #arrived = 0;
  #arrivedBefore = 0;

  constructor(journal: Journal, operations: ConcurrencyLimit, recorder: ThreadCalls<JournalReports>) {
    this.#journal = journal;
    this.#operations = operations;
    this.#recorder = recorder;
    this.#timer = setInterval(() => {
      this.#arrivedBefore = this.#arrived;
      this.#arrived = 0;
      void this.#write();
    }, gatherMs);
  }

  add(entries: readonly JournalEntry[]): void {
    this.#arrived += entries.length;
    for (const entry of entries) this.#waiting.push(entry);
  }

  /** Whether more entries arrived in the last second than leave time for the rest. */
  get isBusy(): boolean {
    return this.#arrivedBefore > busyEntries;
  }

  stopTimer(): void {
    clearInterval(this.#timer);
  }

  async writeRest(): Promise<void> {
    await this.#writing;
    await this.#write();
  }

  #write(): Promise<void> {
    this.#writing ??= this.#operations
      .run(() => this.#append())
      .finally(() => {
        this.#writing = null;
      });
    return this.#writing;
  }

  async #append(): Promise<void> {
    while (this.#waiting.length > 0) {
      const entries = this.#waiting.slice(0, maxAtOnce);
      // More entries can arrive while these are being written, so the two lists must be separate.
      this.#waiting = this.#waiting.slice(maxAtOnce);
      try {
        await this.#journal.append(entries);
        this.#recorder.notify("written", entries.length);
      } catch (error) {
        this.#waiting = [...entries, ...this.#waiting];
        this.#recorder.notify("failed", reasonOf(error));
        return;
      }
    }
  }
}

/** The pauses between steps: all of them end when the journal closes. */
class Pauses {
  readonly #running = new Set<() => void>();
  #areOver = false;

  get areOver(): boolean {
    return this.#areOver;
  }

  rest(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        this.#running.delete(end);
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(end, ms);
      this.#running.add(end);
    });
  }

  end(): void {
    this.#areOver = true;
    for (const end of this.#running) end();
  }
}

/** Repeats work, never twice at once. Failures are reported, and it is tried again the next time. */
function periodically(
  work: () => Promise<void>,
  everyMs: number,
  recorder: ThreadCalls<JournalReports>,
): { stop(): Promise<void> } {
  let running: Promise<void> | null = null;
  const run = () => {
    running ??= work()
      .catch((error) => {
        recorder.notify("failed", reasonOf(error));
      })
      .finally(() => {
        running = null;
      });
  };
  const timer = setInterval(run, everyMs);
  // Soon, so that it is done even if the server is restarted again and again.
  const first = setTimeout(run, Math.min(everyMs, firstRunMs));
  return {
    stop: async () => {
      clearTimeout(first);
      clearInterval(timer);
      await running;
    },
  };
}

await runWorker(start);
