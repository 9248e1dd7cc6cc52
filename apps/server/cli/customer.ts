import { once } from "node:events";
import { resolve } from "node:path";
import { knownCustomerId } from "@countersign/store/queries/customers/identify";
import { customerOf } from "@countersign/store/queries/customers/views";
import { organizationById } from "@countersign/store/queries/organizations/organizations";
import type { Database } from "@countersign/store/store";
import { readConfig } from "../base/config.ts";
import { OperatorProblem } from "../base/operator-problem.ts";
import { auditWithoutRequest } from "../features/audit-log/record.ts";
import { customerLines } from "../features/customer-export/lines.ts";
import { textOf } from "../features/organization-export/lines.ts";
import { requestsKeptSince } from "../features/requests/show.ts";
import {
  type Command,
  oneOf,
  onePositional,
  printJson,
  printLines,
  readOptions,
  required,
} from "./command.ts";
import { openOutput } from "./licenses.ts";
import { withStore } from "./with-store.ts";

export const customer: Command = {
  name: "customer",
  summary: "Export everything that an organization holds about one customer.",
  help: `countersign customer export --organization ID (--email ADDRESS | --customer ID) [options]

Exports what an organization holds about one customer as JSON Lines, directly from the database: the customer, IP blocks,
transfers, and each license with its IP addresses, events, requests and entries of the audit log. The server can keep
running. The last line has the kind "end": without it, the file is incomplete.

  --email ADDRESS   the customer's email address
  --customer ID     the customer's ID, in place of the email address
  --file FILE       where to write (default: standard output)
  --json            with --file: print one JSON object: file, customer_id, lines
`,
  async run(args, environment) {
    const { values, positionals } = readOptions(
      "customer",
      args,
      {
        organization: { type: "string" },
        email: { type: "string" },
        customer: { type: "string" },
        file: { type: "string" },
        json: { type: "boolean" },
      },
      true,
    );
    oneOf("action", onePositional("customer", positionals, "the action export"), ["export"]);
    const { file, email } = values;
    if (values.json === true && file === undefined)
      throw new OperatorProblem("--json reports what was written to a file, so it requires --file.");
    if ((email === undefined) === (values.customer === undefined))
      throw new OperatorProblem("Name the customer by --email or by --customer, and not by both.");
    const organizationId = required("customer", "organization", values.organization);
    const config = readConfig(environment);
    await withStore(config, async (store) => {
      const organization = await organizationById(store.reads, organizationId);
      if (organization === undefined)
        throw new OperatorProblem(`Organization ${organizationId} does not exist.`);
      const row = await find(store.reads, organizationId, { email, id: values.customer });
      const nowMs = await store.clock();
      const keptSinceMs = await requestsKeptSince({ store, config, nowMs }, organization);
      const out = await openOutput(file);
      await store.transaction((db) =>
        auditWithoutRequest(db, { kind: "command_line", name: "countersign customer export" }, nowMs, {
          action: "customer.exported",
          subject: { kind: "customer", id: row.customer_id, name: null },
          organizationId,
        }),
      );
      let lines = 0;
      for await (const text of textOf(customerLines(store, row, keptSinceMs))) {
        lines += text.split("\n").length - 1;
        if (!out.write(text)) await once(out, "drain");
      }
      if (file === undefined) return;
      out.end();
      await once(out, "close");
      const written = { file: resolve(file), customer_id: row.customer_id, lines };
      if (values.json === true) printJson(written);
      else printLines([`Exported ${lines} lines to ${file}.`]);
    });
    return 0;
  },
};

async function find(
  db: Database,
  organizationId: string,
  { email, id }: { readonly email: string | undefined; readonly id: string | undefined },
) {
  const customerId =
    email === undefined
      ? (id ?? null)
      : await knownCustomerId(db, organizationId, { email: email.trim(), discordId: null });
  const row = customerId === null ? undefined : await customerOf(db, organizationId, customerId);
  if (row === undefined) throw new OperatorProblem("The organization has no such customer.");
  return row;
}
