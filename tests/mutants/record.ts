import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface FaultResult {
  /** The file and the name of the test that failed first. Null if none did. */
  readonly caughtBy: string | null;
  /** From the planted fault to the failed test, builds included. */
  readonly seconds: number;
  /** Why the fault could not be tested. */
  readonly problem?: string;
}

export type FaultRecord = Readonly<Record<string, FaultResult>>;

const path = join(import.meta.dir, "record.json");

/** The results of the last recorded runs, by the name of the fault. */
export function readRecord(): FaultRecord {
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
}

export function writeRecord(record: FaultRecord): void {
  const sorted = Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(path, `${JSON.stringify(sorted, null, 2)}\n`);
}
