import * as contract from "@countersign/contract/manage/organizations";
import { type BoundRoute, bind } from "../../http/manage/bind.ts";
import { requireOrganization } from "../../http/manage/context.ts";
import { audit } from "../audit-log/record.ts";
import { type ExportLine, organizationLines } from "./lines.ts";

/** Everything as a file, read while it is sent: as fast as the caller takes it, and never whole in memory. */
export const organizationExportRoutes: readonly BoundRoute[] = [
  bind(contract.exportOrganization, async (context) => {
    const organization = requireOrganization(context);
    await context.transaction((db) =>
      audit(db, context, {
        action: "organization.exported",
        subject: { kind: "organization", id: organization.id, name: organization.name },
      }),
    );
    return new Response(streamed(organizationLines(context.store.reads, organization, context.nowMs)), {
      headers: {
        "content-type": "application/x-ndjson; charset=utf-8",
        "content-disposition": `attachment; filename="${organization.slug}.jsonl"`,
        "cache-control": "no-store",
      },
    });
  }),
];

function streamed(pages: AsyncGenerator<readonly ExportLine[]>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let lineCount = 0;
  const asText = (lines: readonly object[]) =>
    encoder.encode(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      for (;;) {
        const page = await pages.next();
        if (page.done) {
          // So that a reader can tell a complete file from one that was cut off.
          controller.enqueue(asText([{ kind: "end", data: { lines: lineCount } }]));
          controller.close();
          return;
        }
        if (page.value.length === 0) continue;
        lineCount += page.value.length;
        controller.enqueue(asText(page.value));
        return;
      }
    },
    cancel: async () => {
      await pages.return(undefined);
    },
  });
}
