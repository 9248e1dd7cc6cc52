import { isoTime } from "@countersign/domain/dates/iso-time";
import { newId } from "@countersign/store/new-id";
import {
  addSecret,
  removeSecrets,
  retireSecrets,
  updateEndpoint,
} from "@countersign/store/queries/webhooks/endpoints";
import { enableDeliveries, holdDeliveries } from "@countersign/store/queries/webhooks/hold-deliveries";
import { type MemberContext, nextUpdatedAt, type OrganizationContext } from "../../../api/context.ts";
import { audit } from "../../audit-log/record.ts";
import { newWebhookSecret } from "../delivery/request.ts";
import { enabled, subjectOf } from "../delivery/switch.ts";
import { currentEndpoint, showEndpoint } from "./endpoints.ts";

export async function disableEndpoint(context: MemberContext, id: string) {
  return context.transaction(async (db) => {
    const row = await currentEndpoint(db, context, id);
    if (row.disabled_reason === "by_hand") return showEndpoint(db, context, row);
    const changes = {
      status: "disabled",
      disabled_reason: "by_hand",
      disabled_at: context.nowMs,
      next_probe_at: null,
      updated_at: nextUpdatedAt(context, row.updated_at),
    } as const;
    await updateEndpoint(db, id, changes);
    await holdDeliveries(db, id, context.nowMs);
    await audit(db, context, {
      action: "webhook.disabled",
      subject: subjectOf(row),
      before: { status: row.status, disabled_reason: row.disabled_reason },
      after: { status: changes.status, disabled_reason: changes.disabled_reason },
    });
    return showEndpoint(db, context, { ...row, ...changes });
  });
}

export async function enableEndpoint(context: MemberContext, id: string) {
  return context.transaction(async (db) => {
    const row = await currentEndpoint(db, context, id);
    if (row.status === "enabled") return showEndpoint(db, context, row);
    const changes = { ...enabled, updated_at: nextUpdatedAt(context, row.updated_at) };
    await updateEndpoint(db, id, changes);
    await enableDeliveries(db, id, context.nowMs);
    await audit(db, context, {
      action: "webhook.enabled",
      subject: subjectOf(row),
      before: { status: row.status, disabled_reason: row.disabled_reason },
      after: { status: changes.status, disabled_reason: null },
    });
    return showEndpoint(db, context, { ...row, ...changes });
  });
}

/** Gone immediately for everyone. Its data can be large, and is removed in the background. */
export async function deleteEndpoint(context: OrganizationContext, id: string): Promise<void> {
  await context.transaction(async (db) => {
    const row = await currentEndpoint(db, context, id);
    await updateEndpoint(db, id, {
      status: "disabled",
      disabled_reason: "by_hand",
      disabled_at: context.nowMs,
      next_probe_at: null,
      deleted_at: context.nowMs,
    });
    await audit(db, context, {
      action: "webhook.deleted",
      subject: subjectOf(row),
      before: { description: row.description, format: row.format, status: row.status },
    });
  });
}

export async function rotateSecret(context: OrganizationContext, id: string, overlapSeconds: number) {
  const { secret, sealed } = newWebhookSecret(context.store.sealer);
  return context.transaction(async (db) => {
    const row = await currentEndpoint(db, context, id);
    const untilMs = overlapSeconds === 0 ? null : context.nowMs + overlapSeconds * 1000;
    if (untilMs === null) await removeSecrets(db, id);
    else await retireSecrets(db, id, untilMs);
    await addSecret(db, {
      id: newId(),
      endpoint_id: id,
      sealed_secret: sealed,
      created_at: context.nowMs,
      expires_at: null,
    });
    await updateEndpoint(db, id, { updated_at: nextUpdatedAt(context, row.updated_at) });
    await audit(db, context, {
      action: "webhook.secret_rotated",
      subject: subjectOf(row),
      after: { old_secret_until: isoTime(untilMs) },
    });
    return { secret, old_secret_until: isoTime(untilMs) };
  });
}
