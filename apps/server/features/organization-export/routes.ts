import * as contract from "@countersign/contract/manage/organizations";
import { type BoundRoute, bind } from "../../api/context.ts";
import { download } from "../../api/download.ts";
import { audit } from "../audit-log/record.ts";
import { organizationLines, textOf } from "./lines.ts";

/** Everything as a file. */
export const organizationExportRoutes: readonly BoundRoute[] = [
  bind(contract.exportOrganization, async (context) => {
    const { organization } = context;
    return download(context, {
      name: `${organization.slug}.jsonl`,
      contentType: "application/x-ndjson; charset=utf-8",
      parts: textOf(organizationLines(context.store.reads, organization, context.nowMs)),
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
