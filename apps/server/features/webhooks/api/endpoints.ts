import type { newWebhook, webhook, webhookChanges } from "@countersign/contract/manage/webhook-shapes";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { maxHeaders } from "@countersign/domain/webhooks/custom-headers";
import { mayBeCalled, readTarget } from "@countersign/domain/webhooks/targets";

import { newId } from "@countersign/store/new-id";
import {
  addEndpoint,
  addSecret,
  countEndpoints,
  endpointOf,
  endpointsOf,
  lockedEndpoint,
  oldSecrets,
  productsAmong,
  updateEndpoint,
} from "@countersign/store/queries/webhooks/endpoints";
import type { Database } from "@countersign/store/store";
import type { WebhookEndpointRow } from "@countersign/store/tables/events";
import type { OrganizationRow } from "@countersign/store/tables/organizations";
import type { z } from "zod";
import {
  type Context,
  checkUnchanged,
  type MemberContext,
  nextUpdatedAt,
  type OrganizationContext,
} from "../../../api/context.ts";
import { decodeCursor, encodeCursor } from "../../../api/page.ts";
import { invalid, Problem } from "../../../http/problem.ts";
import { audit, difference } from "../../audit-log/record.ts";
import { lockOrganization } from "../../members/lock.ts";
import { currentLimit, limitReached } from "../../plans/limits.ts";
import { platformSettings } from "../../settings/platform-settings.ts";
import { newWebhookSecret, openHeaders, sealHeaders } from "../delivery/request.ts";
import { probing, subjectOf } from "../delivery/switch.ts";

export async function listEndpoints(
  context: MemberContext,
  query: { limit: number; cursor?: string | undefined },
) {
  const values = decodeCursor(query.cursor, ["number", "text"]);
  const db = context.store.reads;
  const rows = await endpointsOf(db, context.organization.id, {
    after: values === null ? null : { createdAt: Number(values[0]), id: String(values[1]) },
    limit: query.limit + 1,
  });
  const shown = rows.slice(0, query.limit);
  const last = shown.at(-1);
  const isMore = rows.length > query.limit && last !== undefined;
  return {
    data: await showEndpoints(db, context, shown),
    next_cursor: isMore ? encodeCursor([last.created_at, last.id]) : null,
  };
}

/** As it is now, for reading. */
export async function findEndpoint(
  db: Database,
  context: OrganizationContext,
  id: string,
): Promise<WebhookEndpointRow> {
  const row = await endpointOf(db, context.organization.id, id);
  if (row === undefined) throw new Problem("webhook_not_found");
  return row;
}

/** The same, locked until the transaction ends. */
export async function currentEndpoint(
  db: Database,
  context: OrganizationContext,
  id: string,
): Promise<WebhookEndpointRow> {
  const row = await lockedEndpoint(db, context.organization.id, id);
  if (row === undefined) throw new Problem("webhook_not_found");
  return row;
}

export async function createEndpoint(context: MemberContext, body: z.output<typeof newWebhook>) {
  const { store, nowMs } = context;
  checkTarget(context, body.url);
  const sealedHeaders = sealHeaders(store.sealer, body.headers);
  const { secret, sealed } = newWebhookSecret(store.sealer);
  return context.transaction(async (db) => {
    const { organization } = await lockOrganization(db, context, "webhooks:manage");
    await checkCount(db, context, organization);
    await checkProducts(db, context, body.product_ids);
    const row: WebhookEndpointRow = {
      id: newId(),
      organization_id: organization.id,
      url: body.url,
      description: body.description,
      format: body.format,
      event_types: jsonOf(body.event_types),
      product_ids: jsonOf(body.product_ids),
      sealed_headers: sealedHeaders,
      status: "enabled",
      disabled_reason: null,
      disabled_at: null,
      failing_since: null,
      last_success_at: null,
      last_failure_at: null,
      auto_reenable: body.auto_reenable ? 1 : 0,
      probes: 0,
      next_probe_at: null,
      created_at: nowMs,
      updated_at: nowMs,
      deleted_at: null,
    };
    await addEndpoint(db, row);
    await addSecret(db, {
      id: newId(),
      endpoint_id: row.id,
      sealed_secret: sealed,
      created_at: nowMs,
      expires_at: null,
    });
    await audit(db, context, {
      action: "webhook.created",
      subject: subjectOf(row),
      after: { ...audited(row), header_names: [...body.headers.keys()] },
    });
    return { ...(await showEndpoint(db, context, row)), secret };
  });
}

export async function changeEndpoint(
  context: MemberContext,
  id: string,
  { updated_at: guard, headers, product_ids, event_types, ...body }: z.output<typeof webhookChanges>,
) {
  if (body.url !== undefined) checkTarget(context, body.url);
  const { sealer } = context.store;
  return context.transaction(async (db) => {
    const row = await currentEndpoint(db, context, id);
    checkUnchanged(context, row.updated_at, guard);
    if (product_ids !== undefined) await checkProducts(db, context, product_ids);
    const kept = new Map(openHeaders(sealer, row.sealed_headers));
    for (const [name, value] of headers ?? []) {
      if (value === null) kept.delete(name);
      else kept.set(name, value);
    }
    if (kept.size > maxHeaders) throw invalid("headers", "too_many_headers", { max: maxHeaders });
    const columns = {
      url: body.url ?? row.url,
      description: body.description ?? row.description,
      format: body.format ?? row.format,
      event_types: event_types === undefined ? row.event_types : jsonOf(event_types),
      product_ids: product_ids === undefined ? row.product_ids : jsonOf(product_ids),
      sealed_headers: headers === undefined ? row.sealed_headers : sealHeaders(sealer, kept),
      auto_reenable: (body.auto_reenable ?? row.auto_reenable === 1) ? 1 : 0,
      updated_at: nextUpdatedAt(context, row.updated_at),
    } as const;
    const changes = { ...columns, ...probing(row, { ...row, ...columns }, context.nowMs) };
    const changed: WebhookEndpointRow = { ...row, ...changes };
    await updateEndpoint(db, row.id, changes);
    const { before, after } = difference(audited(row), audited(changed));
    const urls =
      row.url === changed.url
        ? [{}, {}]
        : [{ url: redactedUrl(row.url) }, { url: redactedUrl(changed.url), url_changed: true }];
    await audit(db, context, {
      action: "webhook.updated",
      subject: subjectOf(changed),
      before: { ...before, ...urls[0] },
      after: { ...after, ...urls[1], ...namesOf(headers) },
    });
    return showEndpoint(db, context, changed);
  });
}

/** The plan's limit, or the server's if the plan has none. */
async function checkCount(db: Database, { config }: Context, organization: OrganizationRow): Promise<void> {
  const ofPlan = await currentLimit(db, organization, "webhooks");
  if (ofPlan !== null) {
    if (ofPlan.used >= ofPlan.limit) throw limitReached("webhooks", ofPlan);
    return;
  }
  const { webhook_endpoints: limit } = await platformSettings(db, config);
  if ((await countEndpoints(db, organization.id)) >= limit)
    throw new Problem("webhook_limit_reached", { limit });
}

/** What can be checked without resolving a name. The rest is checked when something is sent. */
function checkTarget({ config: { webhookTargets } }: Context, url: string): void {
  const read = readTarget(url, webhookTargets);
  if (!read.ok) throw invalid("url", read.problem);
  const isHere = /(?:^|\.)localhost\.?$/.test(read.target.host);
  if (isHere && !mayBeCalled(read.target, "127.0.0.1", webhookTargets))
    throw invalid("url", "url_not_public");
}

/** Another organization's product counts as one that does not exist. */
async function checkProducts(
  db: Database,
  context: OrganizationContext,
  ids: readonly string[] | null,
): Promise<void> {
  if (ids === null) return;
  const known = await productsAmong(db, context.organization.id, ids);
  const unknown = ids.findIndex((id) => !known.has(id));
  if (unknown >= 0) throw invalid(`product_ids.${unknown}`, "unknown_product");
}

/** Only the origin of the URL: the rest may be a secret, which readers of the audit log need not know. */
function audited(row: WebhookEndpointRow) {
  return {
    url: redactedUrl(row.url),
    description: row.description,
    format: row.format,
    event_types: listOf(row.event_types),
    product_ids: listOf(row.product_ids),
    auto_reenable: row.auto_reenable === 1,
  };
}

function namesOf(headers: ReadonlyMap<string, string | null> | undefined): object {
  if (headers === undefined || headers.size === 0) return {};
  const names = (isSet: boolean) =>
    [...headers].filter(([, v]) => (v !== null) === isSet).map(([name]) => name);
  return { headers_set: names(true), headers_removed: names(false) };
}

function jsonOf(list: readonly string[] | null): string | null {
  return list === null ? null : JSON.stringify(list);
}

type ShownWebhook = z.input<typeof webhook>;

async function showEndpoints(
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
    disabled_at: isoTime(row.disabled_at),
    failing_since: isoTime(row.failing_since),
    last_success_at: isoTime(row.last_success_at),
    last_failure_at: isoTime(row.last_failure_at),
    auto_reenable: row.auto_reenable === 1,
    next_probe_at: isoTime(row.next_probe_at),
    old_secret_until: isoTime(until.get(row.id) ?? null),
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  }));
}

export async function showEndpoint(db: Database, context: MemberContext, row: WebhookEndpointRow) {
  const [shown] = await showEndpoints(db, context, [row]);
  if (shown === undefined) throw new Error("One endpoint was passed and none returned.");
  return shown;
}

/** The origin and not the whole URL: the path of a chat's URL grants access. */
export function redactedUrl(url: string): string {
  const { origin, pathname, search } = new URL(url);
  return pathname + search === "/" ? `${origin}/` : `${origin}/…`;
}

function listOf(json: string | null): string[] | null {
  return json === null ? null : JSON.parse(json);
}
