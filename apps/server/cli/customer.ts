import { once } from "node:events";
import { resolve } from "node:path";
import { erasureCounts } from "@countersign/store/queries/customer-erasure/erasures";
import { knownCustomerId } from "@countersign/store/queries/customers/identify";
import { customerOf } from "@countersign/store/queries/customers/views";
import { organizationById } from "@countersign/store/queries/organizations/organizations";
import type { Database, Store } from "@countersign/store/store";
import type { OrganizationCustomerRow } from "@countersign/store/tables/licenses";
import { readConfig } from "../base/config.ts";
import { OperatorProblem } from "../base/operator-problem.ts";
import { auditWithoutRequest } from "../features/audit-log/record.ts";
import { beginErasure } from "../features/customer-erasure/begin.ts";
import { customerLines } from "../features/customer-export/lines.ts";
import { textOf } from "../features/organization-export/lines.ts";
import { requestsKeptSince } from "../features/requests/show.ts";
import { Problem } from "../http/problem.ts";
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
  help: `countersign customer export --organization ID (--email ADDRESS | --customer ID) [options]
countersign customer erase --organization ID (--email ADDRESS | --customer ID) (--dry-run | --licenses COUNT) [--json]

For a customer who asks for their data, or for its deletion. Works directly on the database; the server can keep running.

export writes what an organization holds about the customer as JSON Lines: the customer, IP blocks, transfers, and each
license that they have or had, with its IP addresses, events, requests and entries of the audit log. The last line has
the kind "end": without it, the file is incomplete.

erase deletes the customer, their licenses, and everything that was recorded about these or names the customer. Entries
of the audit log stay, without what they were about. It cannot be undone. --dry-run counts what it would delete, and
--licenses confirms it with the number of licenses. The command deletes the customer at once; the server does the rest,
now or when it is started again.

  --email ADDRESS   the customer's email address
  --customer ID     the customer's ID, in place of the email address
  --file FILE       export: where to write (default: standard output)
  --dry-run         erase: only count
  --licenses COUNT  erase: how many licenses will be deleted
  --json            print one JSON object; export: with --file
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
        "dry-run": { type: "boolean" },
        licenses: { type: "string" },
        json: { type: "boolean" },
      },
      true,
    );
    const action = onePositional("customer", positionals, "the action export or erase");
    const { file, email, licenses } = values;
    const isExport = oneOf("action", action, ["export", "erase"]) === "export";
    if (isExport ? licenses !== undefined || values["dry-run"] === true : file !== undefined)
      throw new OperatorProblem("--file belongs to export; --dry-run and --licenses belong to erase.");
    if (isExport && values.json === true && file === undefined)
      throw new OperatorProblem("--json reports what was written to a file, so it requires --file.");
    if (!isExport && (values["dry-run"] === true) === (licenses !== undefined))
      throw new OperatorProblem("Count with --dry-run, or erase with --licenses, not both.");
    if (licenses !== undefined && !/^\d{1,9}$/.test(licenses))
      throw new OperatorProblem("--licenses must be the number of licenses that --dry-run shows.");
    if ((email === undefined) === (values.customer === undefined))
      throw new OperatorProblem("Name the customer by --email or by --customer, and not by both.");
    const organizationId = required("customer", "organization", values.organization);
    const config = readConfig(environment);
    await withStore(config, async (store) => {
      const organization = await organizationById(store.reads, organizationId);
      if (organization === undefined)
        throw new OperatorProblem(`Organization ${organizationId} does not exist.`);
      const row = await find(store.reads, organizationId, { email, id: values.customer });
      const { json } = values;
      if (!isExport)
        return erase(store, row, { licenseCount: licenses === undefined ? null : Number(licenses), json });
      const keptSinceMs = await requestsKeptSince(
        { store, config, nowMs: await store.clock() },
        organization,
      );
      return write(store, row, { keptSinceMs, file, json });
    });
    return 0;
  },
};

async function write(
  store: Store,
  row: OrganizationCustomerRow,
  {
    keptSinceMs,
    file,
    json,
  }: { readonly keptSinceMs: number; readonly file: string | undefined; readonly json: boolean | undefined },
): Promise<void> {
  const nowMs = await store.clock();
  const out = await openOutput(file);
  await store.transaction((db) =>
    auditWithoutRequest(db, { kind: "command_line", name: "countersign customer export" }, nowMs, {
      action: "customer.exported",
      subject: { kind: "customer", id: row.customer_id, name: null },
      organizationId: row.organization_id,
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
  if (json === true) printJson(written);
  else printLines([`Exported ${lines} lines to ${file}.`]);
}

/** Without a number of licenses it only counts. */
async function erase(
  store: Store,
  row: OrganizationCustomerRow,
  { licenseCount, json }: { readonly licenseCount: number | null; readonly json: boolean | undefined },
): Promise<void> {
  const { organization_id: organizationId, customer_id: customerId } = row;
  const counts = await erasureCounts(store.reads, organizationId, row);
  if (licenseCount !== null) {
    if (licenseCount !== counts.licenses) throw countChanged(counts.licenses);
    const nowMs = await store.clock();
    const actor = { kind: "command_line", name: "countersign customer erase" } as const;
    const request = { organizationId, customerId, licenseCount, counts, nowMs };
    try {
      await store.transaction(async (db) =>
        auditWithoutRequest(db, actor, nowMs, await beginErasure(db, request)),
      );
    } catch (error) {
      if (error instanceof Problem && error.code === "customer_licenses_changed")
        throw countChanged(Number(error.params.count));
      throw error;
    }
  }
  if (json === true) return printJson({ customer_id: customerId, erased: licenseCount !== null, ...counts });
  const listed = Object.entries(counts).map(([kind, count]) => `  ${kind.replace("_", " ")}: ${count}`);
  if (licenseCount === null)
    return printLines([
      `Erasing customer ${customerId} would delete:`,
      ...listed,
      `Nothing was changed. To erase: the same with --licenses ${counts.licenses} in place of --dry-run.`,
    ]);
  printLines([
    `Customer ${customerId} is being erased:`,
    ...listed,
    "The server deletes the licenses and what was recorded about them, and then adds the entry customer.erased to the audit log.",
    "Not changed: backups, exports, archives of the audit log, and what webhooks have sent to other systems.",
  ]);
}

function countChanged(count: number): OperatorProblem {
  return new OperatorProblem(`The customer has ${count} licenses. Nothing was changed.`);
}

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
