import type { delivery } from "@countersign/contract/manage/webhook-deliveries";
import type { webhook } from "@countersign/contract/manage/webhook-shapes";
import { webhookId } from "@countersign/domain/webhooks/signature";
import { oldSecrets } from "@countersign/store/queries/webhooks/endpoints";
import type { Database } from "@countersign/store/store";
import type { DeliveryRow, WebhookEndpointRow } from "@countersign/store/tables/events";
import type { z } from "zod";
import type { MemberContext } from "../../api/context.ts";
import { iso } from "../../api/page.ts";
import { openHeaders } from "./secrets.ts";

type ShownWebhook = z.input<typeof webhook>;
export type ShownDelivery = z.input<typeof delivery>;

export async function showEndpoints(
  db: Database,
  context: MemberContext,
  rows: readonly WebhookEndpointRow[],
): Promise<ShownWebhook[]> {
  const ids = rows.map((row) => row.id);
  const until = new Map<string, number>();
  for (const { endpoint_id: id, expires_at: at } of await oldSecrets(db, ids, context.nowMs))
    until.set(id, Math.max(until.get(id) ?? 0, at ?? 0));
  const mayManage = context.organizationAccess.permissions.has("webhooks:manage");
  return rows.map((row) => ({
    id: row.id,
    url: mayManage || row.format === "standard" ? row.url : redactedUrl(row.url),
    description: row.description,
    format: row.format,
    event_types: listOf(row.event_types),
    product_ids: listOf(row.product_ids),
    header_names: [...openHeaders(context.store.sealer, row.sealed_headers).keys()].sort(),
    status: row.status,
    disabled_reason: row.disabled_reason,
    disabled_at: iso(row.disabled_at),
    failing_since: iso(row.failing_since),
    last_success_at: iso(row.last_success_at),
    last_failure_at: iso(row.last_failure_at),
    auto_reenable: row.auto_reenable === 1,
    next_probe_at: iso(row.next_probe_at),
    old_secret_until: iso(until.get(row.id) ?? null),
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  }));
}

export async function showEndpoint(db: Database, context: MemberContext, row: WebhookEndpointRow) {
  const [shown] = await showEndpoints(db, context, [row]);
  if (shown === undefined) throw new Error("One endpoint was passed and none returned.");
  return shown;
}

export function showDelivery(row: DeliveryRow): ShownDelivery {
  return {
    id: row.id,
    event_id: row.event_id,
    webhook_id: webhookId(row.event_id),
    event_type: row.event_type,
    state: row.state,
    attempts: row.attempts,
    next_attempt_at: iso(row.next_attempt_at),
    last_status: row.last_status,
    created_at: iso(row.created_at),
    finished_at: iso(row.finished_at),
  };
}

/** The origin and not the whole URL: the path of a chat's URL grants access. */
export function redactedUrl(url: string): string {
  const { origin, pathname, search } = new URL(url);
  return pathname + search === "/" ? `${origin}/` : `${origin}/…`;
}

export function listOf(json: string | null): string[] | null {
  return json === null ? null : JSON.parse(json);
}

/** Its name in the audit log. */
export function subjectOf(row: Pick<WebhookEndpointRow, "id" | "url">) {
  return { kind: "webhook", id: row.id, name: new URL(row.url).host };
}
