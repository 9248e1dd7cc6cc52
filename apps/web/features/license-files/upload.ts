import type { ImportField } from "@countersign/domain/license-files/columns";
import { type Answer, urlOf } from "../../api/client.ts";
import { ApiProblem, Unreachable } from "../../api/problem.ts";
import { loadProblemTexts } from "../../i18n/problem-texts.ts";
import type { Format } from "./peek.ts";

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
