import { csvLine } from "@countersign/domain/csv/cell";
import { type Answer, call } from "../../api/client.ts";

type Rejected = Answer<"listRejectedRows">;
type RowError = Rejected["data"][number]["errors"][number];

/**
 * The rejected rows with their original cells, as a CSV file to correct and import again. The import ignores the two
 * added columns in front.
 */
export async function rejectedFile(
  productId: string,
  importId: string,
  wordsOf: (error: RowError) => string,
): Promise<string[]> {
  const lines: string[] = [];
  for (let cursor: string | null = null; ; ) {
    const page: Rejected = await call("listRejectedRows", {
      params: { product_id: productId, import_id: importId },
      query: { limit: 200, ...(cursor === null ? {} : { cursor }) },
    });
    if (cursor === null) lines.push(csvLine(["import_row", "import_error", ...page.columns]));
    for (const { row, cells, errors } of page.data)
      lines.push(csvLine([row, errors.map(wordsOf).join(" "), ...cells]));
    cursor = page.next_cursor;
    if (cursor === null) return lines;
  }
}

/** Downloads a text as a file. */
export function saveFile(name: string, parts: string[]): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(parts, { type: "text/csv" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
