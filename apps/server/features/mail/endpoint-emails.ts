import { moment } from "@countersign/domain/mail/translate";
import { organizationById } from "@countersign/store/queries/organizations/organizations";
import type { Database } from "@countersign/store/store";
import type { WebhookEndpointRow } from "@countersign/store/tables/events";
import { compose, type LabeledValue, type Recipient } from "./compose.ts";
import { type Email, writeEmail } from "./email.ts";
import { recipientById } from "./recipient.ts";

type Switched = Pick<
  WebhookEndpointRow,
  "id" | "organization_id" | "url" | "description" | "failing_since" | "auto_reenable"
>;

/** Notifies the organization's owner that an endpoint was disabled automatically; once each time. */
export async function notifyEndpointDisabled(
  db: Database,
  endpoint: Switched,
  reason: "failing" | "gone",
  serverUrl: string,
  nowMs: number,
): Promise<void> {
  await toOwner(db, endpoint, nowMs, (owner, organization) =>
    endpointDisabledEmail(owner, endpoint, { organization, reason, serverUrl, disabledAtMs: nowMs }),
  );
}

/** Notifies them that it was enabled again automatically. */
export async function notifyEndpointEnabled(
  db: Database,
  endpoint: Switched,
  serverUrl: string,
  nowMs: number,
): Promise<void> {
  await toOwner(db, endpoint, nowMs, (owner, organization) =>
    endpointEnabledEmail(owner, endpoint, { organization, serverUrl, enabledAtMs: nowMs }),
  );
}

async function toOwner(
  db: Database,
  endpoint: Switched,
  nowMs: number,
  message: (owner: Recipient, organization: string) => Email,
): Promise<void> {
  const organization = await organizationById(db, endpoint.organization_id);
  const owner = organization === undefined ? undefined : await recipientById(db, organization.owner_id);
  if (organization === undefined || owner === undefined) return;
  await writeEmail(db, message(owner, organization.name), nowMs);
}

export function endpointDisabledEmail(
  to: Recipient,
  endpoint: Switched,
  facts: { organization: string; reason: "failing" | "gone"; serverUrl: string; disabledAtMs: number },
): Email {
  const { failing_since: sinceMs } = endpoint;
  const isProbed = facts.reason === "failing" && endpoint.auto_reenable === 1;
  return compose(to, "endpoint_disabled", {
    values: { organization: facts.organization },
    before: [`endpoint_disabled.${facts.reason}`],
    facts: [
      ...whichEndpoint(endpoint),
      ...(sinceMs === null || facts.reason === "gone"
        ? []
        : [{ label: "label.failing_since" as const, value: moment(to.language, sinceMs) }]),
    ],
    action: { label: "endpoint_disabled.action", url: facts.serverUrl },
    after: [isProbed ? "endpoint_disabled.probed" : "endpoint_disabled.kept"],
    once: `endpoint_disabled:${endpoint.id}:${facts.disabledAtMs}`,
  });
}

export function endpointEnabledEmail(
  to: Recipient,
  endpoint: Switched,
  facts: { organization: string; serverUrl: string; enabledAtMs: number },
): Email {
  return compose(to, "endpoint_enabled", {
    values: { organization: facts.organization },
    before: ["endpoint_enabled.what"],
    facts: whichEndpoint(endpoint),
    action: { label: "endpoint_disabled.action", url: facts.serverUrl },
    after: ["endpoint_enabled.before"],
    once: `endpoint_enabled:${endpoint.id}:${facts.enabledAtMs}`,
  });
}

function whichEndpoint({ url, description }: Switched): LabeledValue[] {
  return [
    // Only the host: the rest of such a URL is often a secret.
    { label: "label.endpoint", value: new URL(url).host },
    ...(description === "" ? [] : [{ label: "label.description" as const, value: description }]),
  ];
}
