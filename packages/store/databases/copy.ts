import { createHash } from "node:crypto";
import {
  type CopiedTable,
  type CopyReader,
  type CopyRow,
  type CopyWriter,
  RowDigest,
} from "../copy-format.ts";
import { errorSentence, isDiskFull, StoreProblem } from "../errors/problem.ts";
import { openPostgresSource, openPostgresTarget } from "../postgres/copy.ts";
import { openDataKey } from "../secrets/data-key.ts";
import { openSqliteSource, openSqliteTarget } from "../sqlite/copy.ts";
import { compareMigrations } from "./inspect.ts";
import type { DatabaseLocation } from "./open.ts";

interface CopyOptions {
  readonly encryptionKey: string | null;
  /** Called after each batch. */
  readonly onProgress?: (table: string, rows: number) => void;
}

interface CopyResult {
  readonly tables: readonly ComparedTable[];
  /** Whether every table is the same on both sides. Otherwise the copy is unfinished. */
  readonly isComplete: boolean;
  /** Rows that were copied by earlier runs of the same copy. */
  readonly resumedRows: number;
}

export interface ComparedTable {
  readonly name: string;
  readonly source: Digest;
  readonly target: Digest;
  readonly isSame: boolean;
}

interface Digest {
  readonly rows: number;
  readonly checksum: string;
}

/** How often tables that changed meanwhile are copied again. */
const maxAttempts = 3;
/** A batch has about so many characters, whatever a row is: memory stays the same. */
const batchCharacters = 2_000_000;
const maxBatchRows = 5_000;
const firstBatchRows = 50;

/**
 * Copies everything from one database to another, table by table. What was copied before an interruption is kept: the
 * next run continues. At the end both are read completely and compared.
 */
export async function copyDatabase(
  from: DatabaseLocation,
  to: DatabaseLocation,
  { encryptionKey, onProgress }: CopyOptions,
): Promise<CopyResult> {
  const source = await reporting("source", () => openSource(from));
  try {
    const id = await reporting("source", () => sourceId(source, encryptionKey));
    const target = await reporting("target", () => openTarget(to));
    try {
      return await reporting("target", () => copyInto(source, target, id, onProgress));
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function openSource(location: DatabaseLocation): Promise<CopyReader> {
  return location.kind === "sqlite" ? openSqliteSource(location.folder) : openPostgresSource(location.url);
}

async function openTarget(location: DatabaseLocation): Promise<CopyWriter> {
  return location.kind === "sqlite" ? openSqliteTarget(location.folder) : openPostgresTarget(location.url);
}

/** An error of the database is a sentence: whoever runs this can do something about it. */
async function reporting<T>(side: "source" | "target", work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof StoreProblem) throw cause;
    const next = isDiskFull(cause)
      ? "Free some space, then run the same command again"
      : "Run the same command again";
    throw new StoreProblem(
      `The copy stopped at the ${side}: ${errorSentence(cause)} ${next}: it continues where it stopped.`,
      { cause },
    );
  }
}

/** What tells one installation from another: its data key. */
async function sourceId(source: CopyReader, encryptionKey: string | null): Promise<string> {
  const { missing, unknown } = compareMigrations(await source.migrations());
  if (unknown.includes("unfinished-copy"))
    throw new StoreProblem(
      "The source is an unfinished copy. Finish it first, or name the database it is a copy of.",
    );
  if (unknown.length > 0)
    throw new StoreProblem(
      `The source has migration ${unknown[0]}, which this release does not know. Use the release that applied it.`,
    );
  if (missing.length > 0)
    throw new StoreProblem(
      `The source lacks migration ${missing[0]}. Run countersign migrate on it with this release, then copy again.`,
    );
  const stored = await source.storedDataKey();
  if (stored === null)
    throw new StoreProblem(
      "The source is new: no server or command has used it yet. There is nothing to copy.",
    );
  const { key } = openDataKey(stored, encryptionKey);
  return createHash("sha256").update("countersign.copy-source.v1\n").update(key).digest("hex");
}

async function copyInto(
  source: CopyReader,
  target: CopyWriter,
  id: string,
  onProgress: CopyOptions["onProgress"] = () => {},
): Promise<CopyResult> {
  await beginOrContinue(target, id);
  let resumedRows = 0;
  for (let attempt = 1; ; attempt++) {
    await source.takeSnapshot();
    await target.prepare(await source.days());
    const tables = await tablesToCopy(source, target);
    for (const table of tables) {
      const before = await copyTable(source, target, table, onProgress);
      if (attempt === 1) resumedRows += before;
    }
    await source.takeSnapshot();
    const compared = await compare(source, target, tables);
    const different = compared.filter(({ isSame }) => !isSame);
    const isComplete = different.length === 0;
    if (isComplete) await target.finish();
    if (isComplete || attempt === maxAttempts) return { tables: compared, isComplete, resumedRows };
    // It changed while it was copied, or between two runs.
    for (const { name } of different) await clearTable(target, tables, name);
  }
}

async function beginOrContinue(target: CopyWriter, id: string): Promise<void> {
  const unfinished = await target.unfinishedCopyOf();
  if (unfinished === id) return;
  if (unfinished !== null)
    throw new StoreProblem(
      "The target is an unfinished copy of another installation. Remove it, or name another target.",
    );
  const occupied = await target.occupiedTable();
  if (occupied !== null)
    throw new StoreProblem(
      `The target is not empty: its table ${occupied} has rows. Name a new folder or an empty database.`,
    );
  await target.begin(id);
}

/** Those of the target, which has exactly the tables of this release, with the columns in one order. */
async function tablesToCopy(source: CopyReader, target: CopyWriter): Promise<CopiedTable[]> {
  const available = new Map((await source.tables()).map((table) => [table.name, table]));
  return (await target.tables()).map((table) => {
    const columns = new Set(available.get(table.name)?.columns.map(({ name }) => name));
    const missing = table.columns.find(({ name }) => !columns.has(name));
    if (missing === undefined && table.key.length > 0) return table;
    throw new StoreProblem(
      `The source has no ${table.name}.${missing?.name ?? "key"}, although its migrations say so. Check it with countersign doctor.`,
    );
  });
}

/** Returns how many rows had been copied before. */
async function copyTable(
  source: CopyReader,
  target: CopyWriter,
  table: CopiedTable,
  onProgress: NonNullable<CopyOptions["onProgress"]>,
): Promise<number> {
  const before = await target.progress(table.name);
  // Its rows are written with the tables of the days.
  if (table.name === "request_days") return 0;
  let progress = before;
  for (const pages = new Pages(); !progress.isDone; ) {
    const rows = await pages.next(source, table, progress.last);
    const last = rows.at(-1);
    progress = {
      last: last ?? progress.last,
      rows: progress.rows + rows.length,
      isDone: last === undefined,
    };
    await target.write(table, rows, progress);
    onProgress(table.name, progress.rows);
  }
  return before.rows;
}

async function clearTable(target: CopyWriter, tables: readonly CopiedTable[], name: string): Promise<void> {
  const table = tables.find((one) => one.name === name);
  if (table !== undefined && name !== "request_days") await target.clear(table);
}

/** Both are read completely. */
async function compare(
  source: CopyReader,
  target: CopyReader,
  tables: readonly CopiedTable[],
): Promise<ComparedTable[]> {
  const compared: ComparedTable[] = [];
  const days = new Set((await source.days()).map(String));
  const targetDays = (await target.days()).map(String);
  const isGone = days.size !== targetDays.length || targetDays.some((day) => !days.has(day));
  const kept = isGone ? await existing(source, tables) : tables;
  for (const table of kept) {
    const [ofSource, ofTarget] = [await digest(source, table), await digest(target, table)];
    const isSame = ofSource.rows === ofTarget.rows && ofSource.checksum === ofTarget.checksum;
    compared.push({ name: table.name, source: ofSource, target: ofTarget, isSame });
  }
  return compared;
}

/** Without days of the request log that were deleted meanwhile: `request_days` then differs. */
async function existing(source: CopyReader, tables: readonly CopiedTable[]): Promise<CopiedTable[]> {
  const names = new Set((await source.tables()).map(({ name }) => name));
  return tables.filter(({ name }) => names.has(name));
}

async function digest(reader: CopyReader, table: CopiedTable): Promise<Digest> {
  const rows = new RowDigest();
  const pages = new Pages();
  for (let last: CopyRow | null = null; ; ) {
    const page = await pages.next(reader, table, last);
    for (const row of page) rows.add(row);
    last = page.at(-1) ?? null;
    if (last === null) return { rows: rows.rows, checksum: rows.checksum };
  }
}

/** Reads fewer rows at once the larger they are. */
class Pages {
  #limit = firstBatchRows;

  async next(reader: CopyReader, table: CopiedTable, after: CopyRow | null): Promise<readonly CopyRow[]> {
    const rows = (await reader.page(table, after, this.#limit)).map(withoutNul);
    const characters = rows.reduce((sum, row) => sum + lengthOf(row), 0);
    const fitting = Math.floor(batchCharacters / Math.max(1, characters / Math.max(1, rows.length)));
    this.#limit = Math.max(1, Math.min(maxBatchRows, fitting, this.#limit * 4));
    return rows;
  }
}

/** PostgreSQL does not accept NUL, and is sent this in its place by servers too: see `postgres/lists.ts`. */
function withoutNul(row: CopyRow): CopyRow {
  const hasNul = row.some((value) => typeof value === "string" && value.includes("\0"));
  return hasNul
    ? row.map((value) => (typeof value === "string" ? value.replaceAll("\0", "\uFFFD") : value))
    : row;
}

function lengthOf(row: CopyRow): number {
  return row.reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 8), 0);
}
