import * as contract from "@countersign/contract/manage/organizations";
import { type BoundRoute, bind } from "../../api/context.ts";
import { download } from "../../api/download.ts";
import { audit } from "../audit-log/record.ts";
import { type ExportLine, organizationLines } from "./lines.ts";

/** Everything as a file. */
export const organizationExportRoutes: readonly BoundRoute[] = [
  bind(contract.exportOrganization, async (context) => {
    const { organization } = context;
    return download(context, {
      name: `${organization.slug}.jsonl`,
      contentType: "application/x-ndjson; charset=utf-8",
      parts: partsOf(organizationLines(context.store.reads, organization, context.nowMs)),
      begin: () =>
        context.transaction((db) =>
          audit(db, context, {
            action: "organization.exported",
            subject: { kind: "organization", id: organization.id, name: organization.name },
          }),
        ),
    });
  }),
];

async function* partsOf(pages: AsyncGenerator<readonly ExportLine[]>): AsyncGenerator<string, void> {
  let lineCount = 0;
  for await (const page of pages) {
    if (page.length === 0) continue;
    lineCount += page.length;
    yield asText(page);
  }
  // So that a reader can tell a complete file from one that was cut off.
  yield asText([{ kind: "end", data: { lines: lineCount } }]);
}

function asText(lines: readonly object[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}
