import { CsvReader, delimiterOf, withoutGuard } from "@countersign/domain/csv/csv";

import type { ImportField } from "@countersign/domain/license-files/columns";
import { type Answer, urlOf } from "../../api/client.ts";
import { ApiProblem, Unreachable } from "../../api/problem.ts";
import { loadProblemTexts } from "../../i18n/problem-texts.ts";

type Format = "csv" | "jsonl";

/** The first rows of a file, for a preview before the upload. */
export interface FilePreview {
  readonly format: Format;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Why a file cannot be read. The reason is a translation key. */
export class UnreadableFile extends Error {
  readonly reason: "empty" | "notUtf8" | "notJson" | "tooLarge" | "spreadsheet" | "brokenCsv";

  constructor(reason: UnreadableFile["reason"]) {
    super(reason);
    this.reason = reason;
  }
}

const headBytes = 512 * 1024;
const maxBytes = 100 * 1024 * 1024;
const shownRows = 5;

export async function previewFile(file: File): Promise<FilePreview> {
  if (file.size === 0) throw new UnreadableFile("empty");
  if (file.size > maxBytes) throw new UnreadableFile("tooLarge");
  if (/\.(xlsx?|ods|numbers)$/i.test(file.name)) throw new UnreadableFile("spreadsheet");
  const text = await headOf(file);
  const isWhole = file.size <= headBytes;
  return /^\s*\{/.test(text) || /\.(jsonl|ndjson)$/i.test(file.name)
    ? previewJson(text, isWhole)
    : previewCsv(text, isWhole);
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

function previewCsv(text: string, isWhole: boolean): FilePreview {
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
  return {
    format: "csv",
    columns: header.map((name) => withoutGuard(name).trim()),
    rows: rows.slice(0, shownRows).map((cells) => cells.map(withoutGuard)),
  };
}

function previewJson(text: string, isWhole: boolean): FilePreview {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (!isWhole && lines.length > 1) lines.pop();
  const objects = lines.slice(0, 200).map((line) => {
    try {
      const value: unknown = JSON.parse(line);
      if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
    } catch {
      // Handled like JSON that is not an object.
    }
    throw new UnreadableFile("notJson");
  });
  if (objects.length === 0) throw new UnreadableFile("empty");
  const columns = [...new Set(objects.flatMap((object) => Object.keys(object)))];
  const rows = objects
    .slice(0, shownRows)
    .map((object) => columns.map((column) => cellOf((object as Record<string, unknown>)[column])));
  return { format: "jsonl", columns, rows };
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
}

/** Uploads a file. Unlike `fetch`, it reports upload progress. */
export function upload(
  productId: string,
  file: File,
  format: Format,
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
      file_name: file.name.replace(/\p{Cc}/gu, " ").slice(0, 255),
    },
  });
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", address);
    request.setRequestHeader("accept", "application/json");
    request.setRequestHeader("content-type", format === "csv" ? "text/csv" : "application/x-ndjson");
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
