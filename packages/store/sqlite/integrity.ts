import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { basename } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { threadFile } from "../built.ts";
import { errorSentence } from "../errors/problem.ts";
import type { IntegrityPart } from "../store.ts";
import { isDamage } from "./damage.ts";
import { sqliteFiles } from "./files.ts";

const maxReported = 5;

/**
 * Compares every table with each of its indexes, which `quick_check` does not. Without a table, the whole file with its
 * lists of free pages.
 */
export function damageIn(database: DatabaseSync, table: string | null = null): string[] {
  const argument = table === null ? maxReported : `"${table}"`;
  try {
    const rows = database.prepare(`pragma integrity_check(${argument})`).all();
    return rows
      .slice(0, maxReported)
      .map((row) => String(row.integrity_check))
      .filter((text) => text !== "ok");
  } catch (error) {
    if (isDamage(error)) return [errorSentence(error)];
    throw error;
  }
}

/** Checks one table after the other, in the order of their names, until the time is over; at least one. */
export function checkTables(folder: string, after: string | null, timeoutMs: number): IntegrityPart {
  const deadlineMs = performance.now() + timeoutMs;
  const { main, journal } = sqliteFiles(folder);
  const tables: [string, string | null][] = [];
  for (const path of [main, journal].filter(existsSync)) {
    const database = new DatabaseSync(path, { readOnly: true });
    try {
      for (const table of tablesOf(database)) {
        const name = `${basename(path)} ${table}`;
        if (after !== null && name <= after) continue;
        if (tables.length > 0 && performance.now() > deadlineMs) return { tables, isLast: false };
        tables.push([name, damageIn(database, table)[0] ?? null]);
      }
    } finally {
      database.close();
    }
  }
  return { tables, isLast: true };
}

function tablesOf(database: DatabaseSync): string[] {
  const rows = database.prepare("select name from sqlite_master where type = 'table' order by name").all();
  return rows.map(({ name }) => String(name)).filter((name) => !name.startsWith("sqlite_"));
}

/**
 * The same in another process: a check of a large table takes minutes and cannot be interrupted, a process can be ended
 * at any time.
 */
export async function checkInProcess(
  folder: string,
  after: string | null,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<IntegrityPart> {
  const file = fileURLToPath(threadFile("integrity-process", import.meta.url));
  const processArgs = [file, folder, after ?? "", String(timeoutMs)];
  const output = await new Promise<string>((resolve, reject) => {
    const options = { signal, killSignal: "SIGKILL", maxBuffer: 64 * 1024 * 1024 } as const;
    execFile(process.execPath, processArgs, options, (error, stdout) =>
      error === null ? resolve(stdout) : reject(error),
    );
  });
  return JSON.parse(output) as IntegrityPart;
}
