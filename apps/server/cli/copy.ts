import { resolve } from "node:path";
import { type ComparedTable, copyDatabase } from "@countersign/store/databases/copy";
import type { DatabaseLocation } from "@countersign/store/databases/open";
import { StoreProblem } from "@countersign/store/errors/problem";
import { parsePostgresUrl } from "@countersign/store/postgres/url";
import { readConfig } from "../base/config.ts";
import { OperatorProblem } from "../base/operator-problem.ts";
import { type Command, printJson, printLines, readOptions, required } from "./command.ts";

export const copy: Command = {
  name: "copy",
  help: `countersign copy --from SOURCE --to TARGET [--json]

Copies every table from one database to another, then reads both completely and compares the number of rows and a
checksum of each table. Stop the servers of both first: the command refuses while one runs.

  --from SOURCE   a data folder, or postgres://user:password@host:5432/database
  --to TARGET     a new folder, or an empty PostgreSQL database
  --json          print one JSON object: complete, resumed_rows, tables

If it is interrupted, run the same command again: it continues. Until it is finished, no server opens the target. The
source is not changed. With COUNTERSIGN_ENCRYPTION_KEY, set the same value as for the servers. A password can be left
out of the URL and set in PGPASSWORD, or in a password file of PostgreSQL.
`,
  async run(args, environment) {
    const { values } = readOptions("copy", args, {
      from: { type: "string" },
      to: { type: "string" },
      json: { type: "boolean" },
    });
    const from = locationOf("from", required("copy", "from", values.from));
    const to = locationOf("to", required("copy", "to", values.to));
    if (JSON.stringify(from) === JSON.stringify(to))
      throw new OperatorProblem("--from and --to name the same database. Name two different ones.");
    const { encryptionKey } = readConfig(environment);
    const isWatched = process.stderr.isTTY === true;
    const startedMs = performance.now();
    const { tables, isComplete, resumedRows } = await copyDatabase(from, to, {
      encryptionKey,
      onProgress: (table, rows) => {
        if (isWatched) process.stderr.write(`\r\u001b[K${table}: ${rows.toLocaleString("en")} rows`);
      },
    });
    if (isWatched) process.stderr.write("\r\u001b[K");
    if (values.json === true)
      printJson({ complete: isComplete, resumed_rows: resumedRows, tables: tables.map(onTheWire) });
    else printLines(report(tables, isComplete, (performance.now() - startedMs) / 1_000));
    if (isComplete) return 0;
    process.stderr.write(
      "The two databases differ: something changes the source. Stop all servers and commands, then run the same command again.\n",
    );
    return 1;
  },
};

/** The value can contain a password, so it is not repeated. */
function locationOf(option: string, text: string): DatabaseLocation {
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(text)) return { kind: "sqlite", folder: resolve(text) };
  try {
    parsePostgresUrl(text);
    return { kind: "postgres", url: text };
  } catch (error) {
    if (error instanceof StoreProblem)
      throw new OperatorProblem(error.message.replace("DATABASE_URL", `--${option}`), { cause: error });
    throw error;
  }
}

function onTheWire({ name, source, target, isSame }: ComparedTable) {
  return {
    name,
    rows: target.rows,
    checksum: target.checksum,
    source_rows: source.rows,
    source_checksum: source.checksum,
    same: isSame,
  };
}

function report(tables: readonly ComparedTable[], isComplete: boolean, seconds: number): string[] {
  const shown = tables.filter(({ source, target, isSame }) => !isSame || source.rows + target.rows > 0);
  const width = Math.max(5, ...shown.map(({ name }) => name.length));
  const line = (name: string, rows: string, checksum: string, result: string) =>
    `${name.padEnd(width)}  ${rows.padStart(12)}  ${checksum.padEnd(24)}  ${result}`;
  const rows = tables.reduce((sum, { target }) => sum + target.rows, 0);
  return [
    line("table", "rows", "checksum", "source"),
    ...shown.map(({ name, source, target, isSame }) =>
      line(
        name,
        target.rows.toLocaleString("en"),
        target.checksum,
        isSame ? "same" : `DIFFERENT: ${source.rows.toLocaleString("en")} rows, ${source.checksum}`,
      ),
    ),
    "",
    isComplete
      ? `The copy is complete and verified: ${rows.toLocaleString("en")} rows in ${tables.length} tables, in ${seconds.toFixed(1)} seconds.`
      : `The copy is not finished: ${rows.toLocaleString("en")} rows in ${tables.length} tables.`,
  ];
}
