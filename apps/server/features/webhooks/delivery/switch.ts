import { moment } from "@countersign/domain/mail/translate";
import { nextProbeAtMs } from "@countersign/domain/webhooks/delivery";
import { organizationById } from "@countersign/store/queries/organizations/organizations";
import { updateEndpoint } from "@countersign/store/queries/webhooks/endpoints";
import { enableDeliveries } from "@countersign/store/queries/webhooks/hold-deliveries";
import type { Database } from "@countersign/store/store";
import type { WebhookEndpointRow } from "@countersign/store/tables/events";

import { auditWithoutRequest } from "../../audit-log/record.ts";
import { compose, type LabeledValue } from "../../mail/compose.ts";
import { type Email, type Recipient, recipientById, writeEmail } from "../../mail/email.ts";

export interface SwitchContext {
  readonly nowMs: number;
  /** The URL of this server, for emails. */
  readonly url: string;
  /** From 0 to 1; spreads the retries that follow. */
  readonly random: number;
}

const server = { kind: "system", name: "Countersign" } as const;

/** When the server itself disables an endpoint. The caller holds the pending deliveries, once their results are no longer being recorded. */
export async function switchOff(
  db: Database,
  endpoint: WebhookEndpointRow,
  reason: "gone" | "failing",
  { nowMs, url, random }: SwitchContext,
): Promise<void> {
  const disabled = { probes: 0, disabledAtMs: nowMs };
  const isProbed = reason === "failing" && endpoint.auto_reenable === 1;
  await updateEndpoint(db, endpoint.id, {
    status: "disabled",
    disabled_reason: reason,
    disabled_at: nowMs,
    probes: 0,
    next_probe_at: isProbed ? nextProbeAtMs(disabled, nowMs, random) : null,
    updated_at: Math.max(endpoint.updated_at + 1, nowMs),
  });
  await auditWithoutRequest(db, server, nowMs, {
    action: "webhook.disabled",
    subject: subjectOf(endpoint),
    before: { status: endpoint.status, disabled_reason: endpoint.disabled_reason },
    after: { status: "disabled", disabled_reason: reason },
    organizationId: endpoint.organization_id,
  });
  await notifyEndpointDisabled(db, endpoint, reason, url, nowMs);
}

export async function switchOn(
  db: Database,
  endpoint: WebhookEndpointRow,
  { nowMs, url }: Omit<SwitchContext, "random">,
): Promise<void> {
  await updateEndpoint(db, endpoint.id, {
    ...enabled,
    last_success_at: nowMs,
    updated_at: Math.max(endpoint.updated_at + 1, nowMs),
  });
  await enableDeliveries(db, endpoint.id, nowMs);
  await auditWithoutRequest(db, server, nowMs, {
    action: "webhook.enabled",
    subject: subjectOf(endpoint),
    before: { status: endpoint.status, disabled_reason: endpoint.disabled_reason },
    after: { status: "enabled", disabled_reason: null },
    organizationId: endpoint.organization_id,
  });
  await notifyEndpointEnabled(db, endpoint, url, nowMs);
}

/** The state of an endpoint when it is enabled: its failure period starts over. */
export const enabled = {
  status: "enabled",
  disabled_reason: null,
  disabled_at: null,
  failing_since: null,
  probes: 0,
  next_probe_at: null,
} as const;

/** For one that was disabled for failing: when it is retried after it was changed. */
export function probing(before: WebhookEndpointRow, after: WebhookEndpointRow, nowMs: number) {
  if (after.disabled_reason !== "failing" || after.auto_reenable === 0) return { next_probe_at: null };
  const isOther = before.url !== after.url || before.sealed_headers !== after.sealed_headers;
  // The cause may be fixed now. If it was no longer retried, someone is working on it.
  if (isOther || before.auto_reenable === 0) return { probes: 0, next_probe_at: nowMs };
  return {};
}

/** Its name in the audit log. */
export function subjectOf(row: Pick<WebhookEndpointRow, "id" | "url">) {
  return { kind: "webhook", id: row.id, name: new URL(row.url).host };
}

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
async function notifyEndpointEnabled(
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
