import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { resolve } from "node:path";
import { everyLicenseOf } from "@countersign/store/queries/licenses/filter";
import { organizationById } from "@countersign/store/queries/organizations/organizations";
import { productById } from "@countersign/store/queries/products/products";
import { readConfig } from "../base/config.ts";
import { OperatorProblem } from "../base/operator-problem.ts";
import { auditWithoutRequest } from "../features/audit-log/record.ts";
import { exportText } from "../features/license-files/export.ts";
import { type Command, readOptions } from "./command.ts";
import { oneOf, required } from "./options.ts";
import { printJson, printLines } from "./print.ts";
import { Progress } from "./progress.ts";
import { withStore } from "./with-store.ts";

export const exportCommand: Command = {
  name: "export",
  summary: "Export licenses to a CSV or JSON Lines file.",
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
  async run(words, environment) {
    const { values } = readOptions("export", words, {
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
      const out = file === undefined ? process.stdout : createWriteStream(file, { flags: "wx", mode: 0o600 });
      if (file !== undefined) await opened(out, file);
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

async function opened(out: NodeJS.WritableStream, file: string): Promise<void> {
  try {
    await once(out, "open");
  } catch (cause) {
    const isThere = cause instanceof Error && "code" in cause && cause.code === "EEXIST";
    throw new OperatorProblem(
      isThere ? `${file} already exists. Choose another file name.` : `${file} cannot be written.`,
      { cause },
    );
  }
}
