import { nextProbeAtMs } from "@countersign/domain/webhooks/schedule";
import { enableDeliveries } from "@countersign/store/queries/deliveries";
import { updateEndpoint } from "@countersign/store/queries/webhook-endpoints";
import type { Database } from "@countersign/store/store";
import type { WebhookEndpointRow } from "@countersign/store/tables";
import { auditWithout } from "../audit-log/record.ts";
import { tellEndpointDisabled, tellEndpointEnabled } from "../mail/endpoint-letters.ts";
import { subjectOf } from "./show.ts";

/** How the server itself disables an endpoint and enables it again. What people do is in `endpoint-actions.ts`. */

export interface Occasion {
  readonly nowMs: number;
  /** The address of this server, for letters. */
  readonly url: string;
  /** From 0 to 1; spreads the tries that follow. */
  readonly random: number;
}

const server = { kind: "system", name: "Countersign" } as const;

/** The caller holds what is on its way, once that is not being written down any more. */
export async function switchOff(
  db: Database,
  endpoint: WebhookEndpointRow,
  reason: "gone" | "failing",
  { nowMs, url, random }: Occasion,
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
  await auditWithout(db, server, nowMs, {
    action: "webhook.disabled",
    subject: subjectOf(endpoint),
    before: { status: endpoint.status, disabled_reason: endpoint.disabled_reason },
    after: { status: "disabled", disabled_reason: reason },
    organizationId: endpoint.organization_id,
  });
  await tellEndpointDisabled(db, endpoint, reason, url, nowMs);
}

export async function switchOn(
  db: Database,
  endpoint: WebhookEndpointRow,
  { nowMs, url }: Omit<Occasion, "random">,
): Promise<void> {
  await updateEndpoint(db, endpoint.id, {
    ...enabled,
    last_success_at: nowMs,
    updated_at: Math.max(endpoint.updated_at + 1, nowMs),
  });
  await enableDeliveries(db, endpoint.id, nowMs);
  await auditWithout(db, server, nowMs, {
    action: "webhook.enabled",
    subject: subjectOf(endpoint),
    before: { status: endpoint.status, disabled_reason: endpoint.disabled_reason },
    after: { status: "enabled", disabled_reason: null },
    organizationId: endpoint.organization_id,
  });
  await tellEndpointEnabled(db, endpoint, url, nowMs);
}

/** What is true of an endpoint from the moment that it is enabled: it is given as long again as any other. */
export const enabled = {
  status: "enabled",
  disabled_reason: null,
  disabled_at: null,
  failing_since: null,
  probes: 0,
  next_probe_at: null,
} as const;

/** Of one that was disabled because it failed: when it is tried again, now that it was changed. */
export function probing(before: WebhookEndpointRow, after: WebhookEndpointRow, nowMs: number) {
  if (after.disabled_reason !== "failing" || after.auto_reenable === 0) return { next_probe_at: null };
  const isOther = before.url !== after.url || before.sealed_headers !== after.sealed_headers;
  // What was wrong may be right now. Where it was not tried any more, somebody is at work on it.
  if (isOther || before.auto_reenable === 0) return { probes: 0, next_probe_at: nowMs };
  return {};
}
