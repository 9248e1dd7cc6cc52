import { parentPort, workerData } from "node:worker_threads";
import type { JournalEntry } from "@countersign/store/journal";
import { type DatabaseLocation, openStore } from "@countersign/store/open";
import { StoreProblem } from "@countersign/store/problem";
import type { Store } from "@countersign/store/store";
import { reasonOf } from "../../log.ts";
import { AskedCall } from "./asked-call.ts";
import { Batcher } from "./batch.ts";
import type { Answer, Ask, BatchTime, FromDecider, ToDecider } from "./messages.ts";

export interface DeciderSettings {
  readonly database: DatabaseLocation;
  readonly encryptionKey: string | null;
  readonly durability: "standard" | "strict";
}

/** Nobody waits for these, and every message wakes the other threads. */
const gatherEntriesMs = 50;

/**
 * The thread that owns the hot path's database connections: it authenticates, counts, decides and signs, while the
 * main thread reads requests and sends answers.
 */
async function run(settings: DeciderSettings): Promise<void> {
  const store = await openStore(settings.database, { ...settings, soleServer: true });
  const batcher = new Batcher(store, {
    batchDone: (calls, seconds) => void batches.push([calls, seconds]),
    batchFailed: (calls, cause) => tell({ kind: "batch_failed", calls, reason: reasonOf(cause) }),
  });
  let answers: Answer[] = [];
  let texts = "";
  let batches: BatchTime[] = [];
  let entries: JournalEntry[] = [];
  const send = () => {
    tell({ kind: "answers", answers: JSON.stringify(answers), texts, batches });
    answers = [];
    texts = "";
    batches = [];
  };
  const sendEntries = () => {
    if (entries.length > 0)
      tell({ kind: "entries", entries: JSON.stringify(entries), count: entries.length });
    entries = [];
  };
  const outlets = {
    answer: (answer: Answer, text: string) => {
      // The answers of one batch leave together, as soon as the last of them is known.
      if (answers.length === 0) queueMicrotask(send);
      answers.push(answer);
      texts += text;
    },
    record: (entry: JournalEntry) => {
      if (entries.length === 0) setTimeout(sendEntries, gatherEntriesMs);
      entries.push(entry);
    },
  };
  const hear = (asks: string, askedTexts: string) => {
    let from = 0;
    for (const ask of JSON.parse(asks) as Ask[]) {
      const length = ask[6];
      const text = length === null ? null : askedTexts.slice(from, from + length);
      from += length ?? 0;
      batcher.submit(new AskedCall(ask, text, outlets));
    }
  };
  parentPort?.on("message", (message: ToDecider) => {
    switch (message.kind) {
      case "asks":
        hear(message.asks, message.texts);
        break;
      case "ping":
        void pong(store, message.id);
        break;
      case "close":
        sendEntries();
        void store.close().then(() => tell({ kind: "closed" }));
        break;
    }
  });
  tell({ kind: "ready" });
}

async function pong(store: Store, id: number): Promise<void> {
  const alive = await store.ping().then(
    () => true,
    () => false,
  );
  tell({ kind: "pong", id, alive });
}

function tell(message: FromDecider): void {
  parentPort?.postMessage(message);
}

run(workerData).catch((error) => {
  if (error instanceof StoreProblem) tell({ kind: "cannot_start", message: error.message });
  else throw error;
});
