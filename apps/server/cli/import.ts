import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { type ColumnMap, importFields } from "@countersign/domain/license-files/columns";
import { productById } from "@countersign/store/queries/products/products";
import type { ImportRow } from "@countersign/store/tables/license-files";
import type { ProductRow } from "@countersign/store/tables/products";
import { readConfig } from "../base/config.ts";
import { OperatorProblem } from "../base/operator-problem.ts";
import { FileProblem } from "../features/license-files/failed.ts";
import { importFromFile } from "../features/license-files/import-from-file.ts";
import type { ImportOptions } from "../features/license-files/job.ts";
import { FileTooLarge, mostBytes } from "../features/license-files/receive.ts";
import { showImportWithErrors } from "../features/license-files/show.ts";
import { type Command, readOptions } from "./command.ts";
import { oneOf, required } from "./options.ts";
import { printJson, printLines } from "./print.ts";
import { Progress } from "./progress.ts";
import { withStore } from "./with-store.ts";

export const importCommand: Command = {
  name: "import",
  summary: "Import licenses from a CSV or JSON Lines file.",
  help: `countersign import --product ID --file FILE [options]

Imports licenses from FILE into a product, directly into the database. The server can keep running. Keys and times are
imported as they are; a row without a key gets a new one.

  --format csv|jsonl          the format of FILE (default: by its name)
  --columns JSON              how to map its columns, such as {"Key": "license_key", "Phone": null}
  --mode all_or_nothing|row_by_row
                              whether one invalid row prevents the whole import (default: all_or_nothing)
  --on-existing fail|skip|update
                              what to do if a key already exists (default: fail)
  --send-events               record an event for each created or updated license (default: none)
  --dry-run                   only show what would happen
  --json                      print the import as one JSON object

Fields: ${importFields.join(", ")}.
`,
  async run(words, environment) {
    const { values } = readOptions("import", words, {
      product: { type: "string" },
      file: { type: "string" },
      format: { type: "string" },
      columns: { type: "string" },
      mode: { type: "string" },
      "on-existing": { type: "string" },
      "send-events": { type: "boolean" },
      "dry-run": { type: "boolean" },
      json: { type: "boolean" },
    });
    const file = required("import", "file", values.file);
    const productId = required("import", "product", values.product);
    const guessed = /\.(jsonl|ndjson)$/i.test(file) ? "jsonl" : "csv";
    const options: ImportOptions = {
      format: oneOf("format", values.format ?? guessed, ["csv", "jsonl"]),
      dryRun: values["dry-run"] === true,
      mode: oneOf("mode", values.mode ?? "all_or_nothing", ["all_or_nothing", "row_by_row"]),
      onExisting: oneOf("on-existing", values["on-existing"] ?? "fail", ["fail", "skip", "update"]),
      columns: columnMap(values.columns),
      fileName: basename(file),
      sendEvents: values["send-events"] === true,
    };
    if (!(await stat(file).catch(() => null))?.isFile())
      throw new OperatorProblem(`File ${file} does not exist.`);
    const job = await withStore(readConfig(environment), async (store) => {
      const product = await productById(store.reads, productId);
      if (product === undefined) throw new OperatorProblem(`Product ${productId} does not exist.`);
      const progress = new Progress();
      const recordEvents = (state: ImportRow) =>
        progress.show(share(state), `${state.rows_done.toLocaleString("en")} rows`);
      try {
        return await importFromFile(store, product, options, createReadStream(file), recordEvents);
      } catch (error) {
        throw asOperatorProblem(error, product);
      } finally {
        progress.end();
      }
    });
    if (values.json === true) printJson(showImportWithErrors(job));
    else printLines(summary(job));
    return job.state === "finished" && job.failed === 0 ? 0 : 1;
  },
};

function columnMap(text: string | undefined): ColumnMap {
  if (text === undefined) return {};
  const problem = new OperatorProblem(
    `--columns must be a JSON object such as {"Key": "license_key", "Phone": null}, with these fields: ${importFields.join(", ")}.`,
  );
  try {
    const map: unknown = JSON.parse(text);
    const isField = (value: unknown) => value === null || importFields.some((field) => field === value);
    if (typeof map === "object" && map !== null && !Array.isArray(map) && Object.values(map).every(isField))
      return map as ColumnMap;
  } catch {
    throw problem;
  }
  throw problem;
}

function share({ bytes_done: done, bytes_total: total }: ImportRow): number {
  return total === 0 ? 0 : done / total;
}

function asOperatorProblem(error: unknown, product: ProductRow): unknown {
  if (error instanceof FileProblem)
    return new OperatorProblem(`${error.message} Nothing was imported into ${product.name}.`, {
      cause: error,
    });
  if (error instanceof FileTooLarge)
    return new OperatorProblem(`The file is larger than ${mostBytes / 1024 / 1024} MiB. Import it in parts.`);
  return error;
}

/** The file's own column and value. */
function whereOf({ column, value }: { column: string | null; value: string | null }): string {
  return column === null ? "" : `, ${column} ${JSON.stringify(value ?? "")}`;
}

function summary(job: ImportRow): string[] {
  const { rows_total: total, created, updated, skipped, failed } = job;
  const { errors, failure } = showImportWithErrors(job);
  const counts = `${created} created, ${updated} updated, ${skipped} skipped, ${failed} failed, of ${total ?? job.rows_done} rows.`;
  return [
    ...errors.slice(0, 20).map((error) => `Row ${error.row}${whereOf(error)}: ${error.message}`),
    ...(job.error_count > 20 ? [`… and ${job.error_count - 20} more. --json shows the first 1,000.`] : []),
    ...(failure === null ? [] : [failure.message]),
    job.dry_run === 1 ? `Dry run, nothing was imported: ${counts}` : `Import finished: ${counts}`,
  ];
}
