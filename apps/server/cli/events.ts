import { isoTime } from "@countersign/domain/dates/iso-time";
import { dayMs } from "@countersign/domain/dates/lengths";
import { choosableTypes, type EventType, isEventType } from "@countersign/domain/events/types";
import { newId } from "@countersign/store/new-id";
import { addEvents } from "@countersign/store/queries/events/events";
import { shownLicense } from "@countersign/store/queries/licenses/views";
import { organizationById } from "@countersign/store/queries/organizations/organizations";
import type { Database } from "@countersign/store/store";
import { distribution } from "@countersign/store/tables/events";
import { readConfig } from "../base/config.ts";
import type { Environment } from "../base/environment.ts";
import { OperatorProblem } from "../base/operator-problem.ts";
import { auditWithoutRequest } from "../features/audit-log/record.ts";
import { type Command, onePositional, printJson, printLines, readOptions, required } from "./command.ts";
import { listen } from "./events-listen.ts";
import { withStore } from "./with-store.ts";

export const events: Command = {
  name: "events",
  help: `countersign events listen --forward URL [options]

Forwards an organization's events to a program on this machine, signed as they would be for an endpoint, until you press
Ctrl-C. It needs only the server's URL and an access token.

  --forward URL        where to send the events, such as http://localhost:4000/webhooks
  --organization ID    the organization
  --url URL            the server (COUNTERSIGN_URL, or http://127.0.0.1:3000)
  --token TOKEN        an access token with licenses:view (COUNTERSIGN_TOKEN)
  --type TYPE          only this type; can be repeated
  --secret whsec_…     sign with this secret (default: a new one, which is printed)
  --count N            stop after N events
  --json               print one JSON object for each event

countersign events trigger TYPE --organization ID [options]

Records an event as if it had happened, directly in the database. It is sent to subscribed endpoints and to events listen;
its data contains test: true, and nothing else changes.

  --organization ID    the organization
  --license ID         the license (default: the newest one)
  --json               print one JSON object: id, type
`,
  async run(args, environment) {
    const [what, ...rest] = args;
    if (what === "listen") return listen(rest, environment);
    if (what === "trigger") return trigger(rest, environment);
    throw new OperatorProblem(
      "Use events listen or events trigger. Run countersign events --help for details.",
    );
  },
};

/** `countersign events trigger`: records an event that is marked as a test. */
async function trigger(args: readonly string[], environment: Environment): Promise<number> {
  const { values, positionals } = readOptions(
    "events",
    args,
    { organization: { type: "string" }, license: { type: "string" }, json: { type: "boolean" } },
    true,
  );
  const type = onePositional("events", positionals, "the event type, such as license.created");
  if (!isEventType(type) || !choosableTypes.some((known) => known === type))
    throw new OperatorProblem(`Unknown event type: ${type}. Use one of: ${choosableTypes.join(", ")}.`);
  const organizationId = required("events", "organization", values.organization);
  return withStore(readConfig(environment), async (store) => {
    const organization = await organizationById(store.reads, organizationId);
    if (organization === undefined)
      throw new OperatorProblem(`Organization ${organizationId} does not exist.`);
    const license = await exampleLicense(store.reads, organizationId, values.license);
    const nowMs = await store.clock();
    const id = newId();
    const data = await sample(store.reads, type, organizationId, license, nowMs);
    await store.transaction(async (db) => {
      const { id: licenseId, product_id: productId } = license;
      const about = { organization_id: organizationId, product_id: productId, license_id: licenseId };
      await addEvents(db, [
        { ...about, id, type, at: nowMs, data: JSON.stringify(data), undistributed: distribution.waiting },
      ]);
      await auditWithoutRequest(db, { kind: "command_line", name: "countersign events trigger" }, nowMs, {
        action: "event.triggered",
        subject: { kind: "event", id },
        after: { type },
        organizationId,
      });
    });
    if (values.json === true) printJson({ id, type });
    else printLines([`${type} was recorded. Subscribed endpoints receive it within a second or two.`]);
    return 0;
  });
}

interface SampleLicense {
  readonly id: string;
  readonly product_id: string;
}

async function exampleLicense(
  db: Database,
  organizationId: string,
  licenseId: string | undefined,
): Promise<SampleLicense> {
  const licenses = db
    .selectFrom("licenses")
    .select(["id", "product_id"])
    .where("organization_id", "=", organizationId);
  const chosen =
    licenseId === undefined ? licenses.orderBy("created_at", "desc") : licenses.where("id", "=", licenseId);
  const license = await chosen.limit(1).executeTakeFirst();
  if (license !== undefined) return license;
  throw new OperatorProblem(
    licenseId === undefined
      ? "The organization has no licenses yet. Create one first."
      : `The organization has no license ${licenseId}.`,
  );
}

/** The data of such an event, with sample values where the license has none. */
async function sample(
  db: Database,
  type: EventType,
  organizationId: string,
  { id, product_id: productId }: SampleLicense,
  nowMs: number,
): Promise<object> {
  const about = { organization_id: organizationId, product_id: productId };
  const midnight = isoTime(Math.ceil((nowMs + 1) / dayMs) * dayMs);
  if (type === "quota.warning") return { ...about, limit: 1_000, used: 800, resets_at: midnight, test: true };
  if (type === "quota.exhausted")
    return { ...about, limit: 1_000, used: 1_000, resets_at: midnight, test: true };
  if (type === "license.bulk_revoked")
    return { ...about, license_ids: [id], count: 1, reason: "Only a test", test: true };
  return {
    ...about,
    license_id: id,
    license: await shownLicense(db, id, nowMs),
    ...particular(type, nowMs),
    test: true,
  };
}

function particular(type: EventType, nowMs: number): object {
  switch (type) {
    case "license.updated":
    case "license.renewed":
      return { changed: ["notes"], previous: { notes: null } };
    case "license.revoked":
      return { reason: "Only a test" };
    case "license.ip_registered":
    case "license.ip_removed":
    case "license.ip_blocked":
    case "license.ip_limit_reached":
      return { ip: "203.0.113.7" };
    case "license.ips_reset":
      return { count: 1 };
    case "license.transfer_requested":
      return { transfer: transfer("requested", nowMs) };
    case "license.transferred":
      return { transfer: transfer("completed", nowMs) };
    case "license.transfer_rejected":
      return { transfer: transfer("rejected", nowMs) };
    default:
      return {};
  }
}

function transfer(status: "requested" | "completed" | "rejected", nowMs: number): object {
  const holder = (name: string) => ({
    global_customer_id: null,
    customer_email: `${name.toLowerCase()}@example.com`,
    customer_name: name,
    customer_discord_id: null,
  });
  const isDecided = status !== "requested";
  return {
    id: newId(),
    from: holder("Ada"),
    to: holder("Grace"),
    message: "Only a test",
    requested_at: isoTime(nowMs),
    status,
    decided_at: isDecided ? isoTime(nowMs) : null,
    decided_by: isDecided ? "organization" : null,
    reason: status === "rejected" ? "Only a test" : null,
  };
}
