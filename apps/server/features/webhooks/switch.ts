import { nextProbeAtMs } from "@countersign/domain/webhooks/schedule";
import { updateEndpoint } from "@countersign/store/queries/webhooks/endpoints";
import { enableDeliveries } from "@countersign/store/queries/webhooks/hold-deliveries";
import type { Database } from "@countersign/store/store";
import type { WebhookEndpointRow } from "@countersign/store/tables/events";
import { auditWithoutRequest } from "../audit-log/record.ts";
import { notifyEndpointDisabled, notifyEndpointEnabled } from "../mail/endpoint-emails.ts";
import { subjectOf } from "./show.ts";

/** How the server itself disables and enables an endpoint. Actions of people are in `endpoint-actions.ts`. */

export interface SwitchContext {
  readonly nowMs: number;
  /** The URL of this server, for emails. */
  readonly url: string;
  /** From 0 to 1; spreads the retries that follow. */
  readonly random: number;
}

const server = { kind: "system", name: "Countersign" } as const;

/** The caller holds the pending deliveries, once their results are no longer being recorded. */
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
