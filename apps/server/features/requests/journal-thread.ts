import { parentPort, workerData } from "node:worker_threads";
import { dayMs } from "@countersign/domain/dates/lengths";
import { ConcurrencyLimit } from "@countersign/store/concurrency-limit";
import type { Forgetting, JournalEntry } from "@countersign/store/journal";
import { type DatabaseLocation, openJournal } from "@countersign/store/open";
import { reasonOf } from "../../log.ts";

export interface JournalSettings {
  readonly database: DatabaseLocation;
  readonly requestLogDays: number;
}

export type ToJournal =
  | { readonly kind: "entries"; readonly entries: string }
  | { readonly kind: "forget"; readonly organizationId: string }
  | { readonly kind: "close" };

export type FromJournal =
  | { readonly kind: "written"; readonly count: number }
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "forgotten"; readonly organizationId: string; readonly problem: string | null }
  | { readonly kind: "closed" };

/** How long entries are collected. Many rows written together touch each page of the file once instead of once each. */
const gatherMs = 1_000;
/**
 * However many entries were collected while the database was unavailable, each write stays within the statement time
 * limit.
 */
const mostAtOnce = 5_000;
const pruneEveryMs = 60_000;
/** Between two steps of deleting an organization's data. */
const restMs = 5;

/** A separate thread, so that writing the request log never delays a request. */
async function run({ database, requestLogDays }: JournalSettings): Promise<void> {
  const journal = await openJournal(database);
  let waiting: JournalEntry[] = [];
  let writing: Promise<void> | null = null;

  const write = async () => {
    while (waiting.length > 0) {
      const entries = waiting.slice(0, mostAtOnce);
      // More entries can arrive while these are being written, so the two lists must be separate.
      waiting = waiting.slice(mostAtOnce);
      try {
        await journal.append(entries);
        tell({ kind: "written", count: entries.length });
      } catch (error) {
        waiting = [...entries, ...waiting];
        tell({ kind: "failed", reason: reasonOf(error) });
        return;
      }
    }
  };
  // One operation at a time: on PostgreSQL they all share one connection, and must not end up in each other's
  // transaction.
  const operations = new ConcurrencyLimit(1);
  const writeNow = () => {
    writing ??= operations.run(write).finally(() => {
      writing = null;
    });
    return writing;
  };
  const writeTimer = setInterval(() => void writeNow(), gatherMs);
  const pruneTimer = setInterval(() => {
    operations
      .run(() => journal.prune(Date.now() - requestLogDays * dayMs))
      .catch((error) => {
        tell({ kind: "failed", reason: reasonOf(error) });
      });
  }, pruneEveryMs);
  let isClosing = false;
  /** One step at a time, so that log entries are written in between. */
  const forget = async (organizationId: string) => {
    try {
      let next: Forgetting | null = { organizationId, part: "sightings", after: "" };
      while (next !== null && !isClosing) {
        const step: Forgetting = next;
        next = await operations.run(() => journal.forget(step));
        await new Promise((resolve) => setTimeout(resolve, restMs));
      }
      tell({ kind: "forgotten", organizationId, problem: next === null ? null : "The journal was closed." });
    } catch (error) {
      tell({ kind: "forgotten", organizationId, problem: reasonOf(error) });
    }
  };
  const close = async () => {
    isClosing = true;
    clearInterval(writeTimer);
    clearInterval(pruneTimer);
    await writing;
    await writeNow();
    await operations.run(() => journal.close());
    tell({ kind: "closed" });
  };

  parentPort?.on("message", (message: ToJournal) => {
    switch (message.kind) {
      case "entries":
        for (const entry of JSON.parse(message.entries) as JournalEntry[]) waiting.push(entry);
        break;
      case "forget":
        void forget(message.organizationId);
        break;
      case "close":
        void close();
        break;
    }
  });
}

function tell(message: FromJournal): void {
  parentPort?.postMessage(message);
}

await run(workerData);
