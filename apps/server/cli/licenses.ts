import { once } from "node:events";
import { createReadStream, createWriteStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { type ColumnMap, importFields } from "@countersign/domain/license-files/columns";
import { type ImportSourceId, importSourceIds } from "@countersign/domain/license-files/sources";
import { readEmail } from "@countersign/domain/license-files/values";
import { everyLicenseOf } from "@countersign/store/queries/licenses/filter";
import { organizationById } from "@countersign/store/queries/organizations/organizations";
import { productById } from "@countersign/store/queries/products/products";
import type { ImportRow } from "@countersign/store/tables/license-files";
import type { ProductRow } from "@countersign/store/tables/products";
import { readConfig } from "../base/config.ts";
import { OperatorProblem } from "../base/operator-problem.ts";
import { auditWithoutRequest } from "../features/audit-log/record.ts";
import { exportText } from "../features/license-files/export.ts";
import { importFromFile } from "../features/license-files/import-from-file.ts";
import { FileProblem, type ImportOptions } from "../features/license-files/job.ts";
import { FileTooLarge, maxFileBytes } from "../features/license-files/receive.ts";
import { showImportWithErrors } from "../features/license-files/show.ts";
import { type Command, oneOf, printJson, printLines, readOptions, required } from "./command.ts";
import { withStore } from "./with-store.ts";

export const importCommand: Command = {
  name: "import",
  help: `countersign import --product ID --file FILE [options]

Imports licenses from FILE into a product, directly into the database. The server can keep running. Keys and times are
imported as they are; a row without a key gets a new one.

  --format csv|jsonl|json     the format of FILE (default: by its name)
  --source SERVICE            FILE is an export of ${importSourceIds.join(", ")}
  --columns JSON|@FILE        how to map its columns, such as {"Key": "license_key", "Phone": null}; with --source, what
                              to map differently
  --customer EMAIL            the customer of new licenses for which FILE names none
  --mode all_or_nothing|row_by_row
                              whether one invalid row prevents the whole import (default: all_or_nothing)
  --on-existing fail|skip|update
                              what to do if a key already exists (default: fail)
  --send-events               record an event for each created or updated license (default: none)
  --dry-run                   only show what would happen
  --json                      print the import as one JSON object

Fields: ${importFields.join(", ")}.
`,
  async run(args, environment) {
    const { values } = readOptions("import", args, {
      product: { type: "string" },
      file: { type: "string" },
      format: { type: "string" },
      source: { type: "string" },
      columns: { type: "string" },
      customer: { type: "string" },
      mode: { type: "string" },
      "on-existing": { type: "string" },
      "send-events": { type: "boolean" },
      "dry-run": { type: "boolean" },
      json: { type: "boolean" },
    });
    const file = required("import", "file", values.file);
    const productId = required("import", "product", values.product);
    const options: ImportOptions = {
      format: oneOf("format", values.format ?? formatOf(file), ["csv", "jsonl", "json"]),
      source:
        values.source === undefined ? null : oneOf<ImportSourceId>("source", values.source, importSourceIds),
      defaultCustomerEmail: emailOf(values.customer),
      dryRun: values["dry-run"] === true,
      mode: oneOf("mode", values.mode ?? "all_or_nothing", ["all_or_nothing", "row_by_row"]),
      onExisting: oneOf("on-existing", values["on-existing"] ?? "fail", ["fail", "skip", "update"]),
      columns: columnMap(await columnsText(values.columns)),
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

function formatOf(file: string): ImportOptions["format"] {
  if (/\.(jsonl|ndjson)$/i.test(file)) return "jsonl";
  return /\.json$/i.test(file) ? "json" : "csv";
}

function emailOf(text: string | undefined): string | null {
  if (text === undefined) return null;
  const email = readEmail(text);
  if (typeof email === "string") return email;
  throw new OperatorProblem(`--customer is ${JSON.stringify(text)}, which is not an email address.`);
}

/** `@FILE` names a file. */
async function columnsText(value: string | undefined): Promise<string | undefined> {
  if (value?.startsWith("@") !== true) return value;
  try {
    return await readFile(value.slice(1), "utf8");
  } catch (cause) {
    throw new OperatorProblem(`The file of --columns, ${value.slice(1)}, cannot be read.`, { cause });
  }
}

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
    return new OperatorProblem(
      `The file is larger than ${maxFileBytes / 1024 / 1024} MiB. Import it in parts.`,
    );
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

export const exportCommand: Command = {
  name: "export",
  help: `countersign export --organization ID [options]

Exports an organization's licenses, directly from the database. The server can keep running. In a CSV file, values that a
spreadsheet would run as formulas are prefixed with an apostrophe, which the import removes again.

  --product ID         only licenses of this product
  --status active|expired|revoked
  --tag TAG            only licenses with this tag
  --format csv|jsonl   the format (default: csv)
  --file FILE          where to write (default: standard output)
  --json               with --file: print one JSON object: file, format, licenses
`,
  async run(args, environment) {
    const { values } = readOptions("export", args, {
      organization: { type: "string" },
      product: { type: "string" },
      status: { type: "string" },
      tag: { type: "string" },
      format: { type: "string" },
      file: { type: "string" },
      json: { type: "boolean" },
    });
    const { file } = values;
    if (values.json === true && file === undefined)
      throw new OperatorProblem("--json reports what was written to a file, so it requires --file.");
    const organizationId = required("export", "organization", values.organization);
    const format = oneOf("format", values.format ?? "csv", ["csv", "jsonl"]);
    const status =
      values.status === undefined ? null : oneOf("status", values.status, ["active", "expired", "revoked"]);
    const narrowed = { productId: values.product ?? null, status, tag: values.tag ?? null };
    const filter = { ...everyLicenseOf(organizationId), ...narrowed };
    await withStore(readConfig(environment), async (store) => {
      const organization = await organizationById(store.reads, organizationId);
      if (organization === undefined)
        throw new OperatorProblem(`Organization ${organizationId} does not exist.`);
      const product =
        values.product === undefined ? undefined : await productById(store.reads, values.product);
      if (values.product !== undefined && product?.organization_id !== organizationId)
        throw new OperatorProblem(`The organization has no product ${values.product}.`);
      const nowMs = await store.clock();
      const out = await openOutput(file);
      await store.transaction((db) =>
        auditWithoutRequest(db, { kind: "command_line", name: "countersign export" }, nowMs, {
          action: "licenses.exported",
          subject: { kind: "organization", id: organizationId, name: organization.name },
          after: { format, ...narrowed },
          organizationId,
        }),
      );
      const progress = new Progress();
      let licenses = 0;
      for await (const part of exportText(store, filter, format, nowMs)) {
        licenses += part.licenses;
        if (!out.write(part.text)) await once(out, "drain");
        if (file !== undefined) progress.count(`${licenses.toLocaleString("en")} licenses`);
      }
      progress.end();
      if (file === undefined) return;
      out.end();
      await once(out, "close");
      if (values.json === true) printJson({ file: resolve(file), format, licenses });
      else printLines([`Exported ${licenses} licenses to ${file}.`]);
    });
    return 0;
  },
};

/** A new file that only its owner can read, or standard output. */
export async function openOutput(file: string | undefined): Promise<NodeJS.WritableStream> {
  if (file === undefined) return process.stdout;
  const out = createWriteStream(file, { flags: "wx", mode: 0o600 });
  try {
    await once(out, "open");
    return out;
  } catch (cause) {
    const isThere = cause instanceof Error && "code" in cause && cause.code === "EEXIST";
    throw new OperatorProblem(
      isThere ? `${file} already exists. Choose another file name.` : `${file} cannot be written.`,
      { cause },
    );
  }
}

const everyMs = 200;
const width = 30;

/** A progress bar on the terminal; prints nothing if there is no terminal. */
export class Progress {
  #shownMs = 0;
  #isShown = false;

  /** `done` is from 0 to 1. */
  show(done: number, text: string): void {
    const nowMs = performance.now();
    if (!process.stderr.isTTY || nowMs - this.#shownMs < everyMs) return;
    this.#shownMs = nowMs;
    this.#isShown = true;
    const filled = Math.round(Math.min(1, done) * width);
    const bar = "█".repeat(filled) + "░".repeat(width - filled);
    process.stderr.write(`\r${bar} ${String(Math.round(done * 100)).padStart(3)} %  ${text}\u001b[K`);
  }

  /** Shows a running count, for when the total is not known. */
  count(text: string): void {
    const nowMs = performance.now();
    if (!process.stderr.isTTY || nowMs - this.#shownMs < everyMs) return;
    this.#shownMs = nowMs;
    this.#isShown = true;
    process.stderr.write(`\r${text}\u001b[K`);
  }

  end(): void {
    if (this.#isShown) process.stderr.write("\r\u001b[K");
  }
}
