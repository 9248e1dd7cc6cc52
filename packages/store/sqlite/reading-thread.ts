import type { SQLInputValue } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import { type Given, type ReadFrom, type ReadingName, readFrom } from "../readings.ts";
import { sentence } from "../sentence.ts";
import { kyselyOver } from "./dialect.ts";
import { openReader, type SqliteFiles } from "./files.ts";
import { KeptStatements } from "./statements.ts";
import { TextIndex } from "./text-index.ts";

export type ToReading =
  | { readonly kind: "read"; readonly number: number; readonly sql: string; readonly values: SQLInputValue[] }
  | { readonly kind: "reading"; readonly number: number; readonly name: ReadingName; readonly given: unknown }
  | {
      readonly kind: "find";
      readonly number: number;
      readonly organizationId: string;
      readonly term: string;
      readonly most: number;
    }
  /** What was taken into the index has been noted in the main database. */
  | { readonly kind: "noted" }
  | { readonly kind: "close" };

export type FromReading =
  | { readonly kind: "answer"; readonly number: number; readonly value: unknown }
  | { readonly kind: "failure"; readonly number: number; readonly message: string }
  | { readonly kind: "taken"; readonly upTo: number; readonly state: string }
  | { readonly kind: "trouble"; readonly message: string }
  | { readonly kind: "closed" };

const lookEveryMs = 200;
/** While much is being written, so much of the time is left to whoever writes it: searches look through the rest. */
const restPerWork = 1;
const afterTroubleMs = 5_000;

/** Reads for lists and searches, and keeps the text index, where neither makes a validation wait. */
function run(files: SqliteFiles): void {
  const reader = openReader(files);
  reader.exec("pragma query_only = on");
  const statements = new KeptStatements(reader);
  const reads = kyselyOver(reader);
  const database = openReader(files);
  database.prepare("attach database ? as search").run(files.search);
  // The index can be made again at any time, so nothing waits until it is on the disk.
  database.exec("pragma search.journal_mode = wal; pragma search.synchronous = normal");
  let index: TextIndex | null = null;
  let next: ReturnType<typeof setTimeout> | undefined;
  let restMs = 0;

  const takeIn = () => {
    try {
      if (index === null) {
        index = TextIndex.open(database);
        if (index === null) {
          index = TextIndex.make(database);
          tell({ kind: "taken", ...index.begun() });
          return;
        }
      }
      const startedMs = performance.now();
      const taken = index.takeIn();
      restMs = index.isWhole ? restPerWork * (performance.now() - startedMs) : 0;
      if (taken === null) next = setTimeout(takeIn, lookEveryMs);
      else tell({ kind: "taken", ...taken });
    } catch (error) {
      tell({ kind: "trouble", message: sentence(error) });
      next = setTimeout(takeIn, afterTroubleMs);
    }
  };

  const find = (organizationId: string, term: string, most: number) =>
    index?.find(organizationId, term, most) ?? null;
  const from: ReadFrom = { reads, alongIndexes: reads, searchLicenses: async (...given) => find(...given) };

  const answer = async (number: number, work: () => unknown) => {
    try {
      tell({ kind: "answer", number, value: await work() });
    } catch (error) {
      tell({ kind: "failure", number, message: sentence(error) });
    }
  };

  parentPort?.on("message", (text: string) => {
    const message: ToReading = JSON.parse(text);
    switch (message.kind) {
      case "read":
        answer(message.number, () => statements.for(message.sql).statement.all(...message.values));
        break;
      case "reading":
        answer(message.number, () => readFrom(from, message.name, message.given as Given<ReadingName>));
        break;
      case "find":
        answer(message.number, () => find(message.organizationId, message.term, message.most));
        break;
      case "noted":
        // Behind whoever has asked for something meanwhile.
        next = setTimeout(takeIn, restMs);
        break;
      case "close":
        clearTimeout(next);
        reader.close();
        database.close();
        tell({ kind: "closed" });
        break;
    }
  });
  takeIn();
}

function tell(message: FromReading): void {
  parentPort?.postMessage(JSON.stringify(message));
}

run(workerData);
