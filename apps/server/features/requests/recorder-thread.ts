import { parentPort, workerData } from "node:worker_threads";
import type { JournalEntry } from "@countersign/store/journal";
import { openJournal } from "@countersign/store/open";
import type { FromRecorder, RecorderSettings, ToRecorder } from "./recorder.ts";

// A thread of its own: what is written down about requests never makes a request wait.
const { location, keepDays }: RecorderSettings = workerData;
const journal = await openJournal(location);
const mostAtOnce = 2_000;
const retryAfterMs = 1_000;
const pruneEveryMs = 60_000;
let waiting: JournalEntry[] = [];
let writing = false;
let closing = false;

parentPort?.on("message", (message: ToRecorder) => {
  switch (message.kind) {
    case "entries":
      waiting.push(...(JSON.parse(message.entries) as JournalEntry[]));
      break;
    case "close":
      closing = true;
      break;
  }
  void write();
});

async function write(): Promise<void> {
  if (writing) return;
  writing = true;
  while (waiting.length > 0) {
    const entries = waiting.slice(0, mostAtOnce);
    try {
      await journal.append(entries);
      waiting = waiting.slice(entries.length);
      tell({ kind: "written", count: entries.length });
    } catch (error) {
      tell({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
      if (closing) break;
      await new Promise((resolve) => setTimeout(resolve, retryAfterMs));
    }
  }
  writing = false;
  if (closing) {
    await journal.close();
    tell({ kind: "closed" });
  }
}

const pruneTimer = setInterval(() => {
  if (!writing && !closing) {
    journal.prune(Date.now() - keepDays * 86_400_000).catch((error) => {
      tell({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
    });
  }
}, pruneEveryMs);
pruneTimer.unref();

function tell(message: FromRecorder): void {
  parentPort?.postMessage(message);
}
