import { CsvReader, delimiterOf, maxRecordLength, withoutGuard } from "@countersign/domain/csv/csv";

import { JsonRecordReader } from "@countersign/domain/json/records";
import type { ImportField } from "@countersign/domain/license-files/columns";
import { valueAt } from "@countersign/domain/license-files/source-row";
import {
  type ImportSourceId,
  importSourceIds,
  importSources,
  sourceOf,
} from "@countersign/domain/license-files/sources";
import { type Answer, urlOf } from "../../api/client.ts";
import { ApiProblem, Unreachable } from "../../api/problem.ts";
import { loadProblemTexts } from "../../i18n/problem-texts.ts";

type Format = "csv" | "jsonl" | "json";

/** The first rows of a file, for a preview before the upload. */
export interface FilePreview {
  readonly format: Format;
  /** The service whose export it is; null for names of the seller's own. */
  readonly source: ImportSourceId | null;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Why a file cannot be read. The reason is a translation key. */
export class UnreadableFile extends Error {
  readonly reason: "empty" | "notUtf8" | "notJson" | "noRecords" | "tooLarge" | "spreadsheet" | "brokenCsv";

  constructor(reason: UnreadableFile["reason"]) {
    super(reason);
    this.reason = reason;
  }
}

const headBytes = 512 * 1024;
const maxBytes = 100 * 1024 * 1024;
const shownRows = 5;

/** With `undefined` as the source, the columns of the file tell which it is. */
export async function previewFile(
  file: File,
  source?: ImportSourceId | null | undefined,
): Promise<FilePreview> {
  if (file.size === 0) throw new UnreadableFile("empty");
  if (file.size > maxBytes) throw new UnreadableFile("tooLarge");
  if (/\.(xlsx?|ods|numbers)$/i.test(file.name)) throw new UnreadableFile("spreadsheet");
  const text = await headOf(file);
  const isWhole = file.size <= headBytes;
  if (!/^\ufeff?\s*[{[]/.test(text) && !/\.(jsonl|ndjson|json)$/i.test(file.name))
    return previewCsv(text, isWhole, source);
  const records = recordsOf(text);
  const isDocument = records.length > 0 || /^\ufeff?\s*\[/.test(text);
  return previewObjects(
    isDocument ? "json" : "jsonl",
    records.length > 0 ? records : linesOf(text, isWhole),
    source,
  );
}

async function headOf(file: File): Promise<string> {
  const bytes = await file.slice(0, headBytes).arrayBuffer();
  try {
    // `stream` ignores a character that is cut off at the end.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
  } catch {
    throw new UnreadableFile("notUtf8");
  }
}

function previewCsv(text: string, isWhole: boolean, wanted: ImportSourceId | null | undefined): FilePreview {
  let records: string[][];
  try {
    const reader = new CsvReader(delimiterOf(text.slice(0, text.search(/[\r\n]|$/))));
    records = reader.read(text);
    if (isWhole) records.push(...reader.end());
  } catch {
    throw new UnreadableFile("brokenCsv");
  }
  const [header, ...rows] = records.filter((cells) => cells.length > 1 || cells[0] !== "");
  if (header === undefined) throw new UnreadableFile("empty");
  const columns = header.map((name) => withoutGuard(name).trim());
  return {
    format: "csv",
    source: wanted === undefined ? sourceOf(columns) : wanted,
    columns,
    rows: rows.slice(0, shownRows).map((cells) => cells.map(withoutGuard)),
  };
}

/** The first records of a JSON document, wherever a service has them. */
function recordsOf(text: string): object[] {
  const lists = new Set(importSourceIds.flatMap((id) => importSources[id].lists));
  const reader = new JsonRecordReader([...lists], maxRecordLength);
  try {
    return reader
      .read(text)
      .slice(0, maxObjects)
      .flatMap((record) => objectOf(record.text) ?? []);
  } catch {
    return [];
  }
}

function linesOf(text: string, isWhole: boolean): object[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (!isWhole && lines.length > 1) lines.pop();
  return lines.slice(0, maxObjects).map((line) => {
    const object = objectOf(line);
    if (object === null) throw new UnreadableFile("notJson");
    return object;
  });
}

function objectOf(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

const maxObjects = 200;

function previewObjects(
  format: Format,
  objects: readonly object[],
  wanted: ImportSourceId | null | undefined,
): FilePreview {
  if (objects.length === 0) throw new UnreadableFile(format === "json" ? "noRecords" : "empty");
  const source = wanted === undefined ? sourceOf(pathsOf(objects, [])) : wanted;
  const { type, columns: known = {} } = source === null ? {} : importSources[source];
  // Users and policies have columns of the same names.
  const licenses = objects.filter(
    (object) => type === undefined || [undefined, type].includes(typeOf(object)),
  );
  const columns =
    source === null
      ? [...new Set(licenses.flatMap((object) => Object.keys(object)))]
      : pathsOf(licenses, Object.keys(known));
  const rows = licenses
    .slice(0, shownRows)
    .map((object) => columns.map((column) => cellOf(valueAt(object, column))));
  return { format, source, columns, rows };
}

function typeOf(object: object): string | undefined {
  return "type" in object && typeof object.type === "string" ? object.type : undefined;
}

/** Paths of the values in objects. What is known is not taken apart, and neither are lists nor metadata. */
function pathsOf(objects: readonly object[], known: readonly string[]): string[] {
  const walk = (value: unknown, path: string, depth: number): string[] => {
    const isList = Array.isArray(value);
    const goesOn = typeof value === "object" && value !== null && depth < 5 && !known.includes(path);
    const isWanted = !isList || known.some((column) => column.startsWith(`${path}.`));
    if (!goesOn || path.endsWith("metadata") || !isWanted) return [path];
    const members = Object.entries(value).slice(0, isList ? 1 : 100);
    return members.flatMap(([name, member]) =>
      walk(member, path === "" ? name : `${path}.${name}`, depth + 1),
    );
  };
  return [...new Set(objects.flatMap((object) => walk(object, "", 0)))];
}

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

export interface ImportOptions {
  readonly isDryRun: boolean;
  readonly mode: "all_or_nothing" | "row_by_row";
  readonly onExisting: "fail" | "skip" | "update";
  readonly tellEvents: boolean;
  readonly columns: Readonly<Record<string, ImportField | null>>;
  /** The customer of new licenses for which the file names none; empty for none. */
  readonly customerEmail: string;
}

const contentTypes: Record<Format, string> = {
  csv: "text/csv",
  jsonl: "application/x-ndjson",
  json: "application/json",
};

/** Uploads a file. Unlike `fetch`, it reports upload progress. */
export function upload(
  productId: string,
  file: File,
  { format, source }: Pick<FilePreview, "format" | "source">,
  options: ImportOptions,
  sent: (share: number) => void,
): Promise<Answer<"importLicenses">> {
  const address = urlOf("importLicenses", {
    params: { product_id: productId },
    query: {
      dry_run: options.isDryRun ? "true" : "false",
      mode: options.mode,
      on_existing: options.onExisting,
      send_events: options.tellEvents ? "true" : "false",
      columns: JSON.stringify(options.columns),
      ...(source === null ? {} : { source }),
      ...(options.customerEmail.trim() === ""
        ? {}
        : { default_customer_email: options.customerEmail.trim() }),
      file_name: file.name.replace(/\p{Cc}/gu, " ").slice(0, 255),
    },
  });
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", address);
    request.setRequestHeader("accept", "application/json");
    request.setRequestHeader("content-type", contentTypes[format]);
    request.upload.onprogress = ({ loaded, total }) => sent(total === 0 ? 1 : loaded / total);
    request.onerror = () => reject(new Unreachable("The server cannot be reached."));
    request.onload = () => {
      const body = parsed(request.responseText);
      if (request.status === 202) resolve(body as Answer<"importLicenses">);
      else void loadProblemTexts().then(() => reject(new ApiProblem(request.status, body ?? {})));
    };
    request.send(file);
  });
}

function parsed(text: string): object | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
