import { type getAttention, maxAttentionOfKind } from "@countersign/contract/manage/overview";
import { refusalChange, usualShare } from "@countersign/domain/analytics/refusals";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { dayMs, hourMs } from "@countersign/domain/dates/lengths";
import type { Permission } from "@countersign/domain/members/permissions";
import { unusedAfterMs } from "@countersign/domain/products/api-key";
import { countRequests, type HourCounts } from "@countersign/store/queries/analytics/figures";
import { withOpenTail } from "@countersign/store/queries/analytics/open-tail";
import { unusedKeyCounts } from "@countersign/store/queries/products/keys";
import { countPendingTransfers } from "@countersign/store/queries/transfers/views";
import { endpointsInTrouble } from "@countersign/store/queries/webhooks/endpoints";
import { allProducts } from "@countersign/store/rollups/roll-up";
import type { z } from "zod";
import type { MemberContext } from "../../api/context.ts";
import { quotaUse } from "../analytics/requests.ts";
import { countSuspects } from "../analytics/sharing.ts";

type Attention = z.input<typeof getAttention.answer>["data"];
type Of<Kind extends Attention[number]["kind"]> = Extract<Attention[number], { kind: Kind }>[];

/** What needs attention and the caller may see, the most urgent first: customers who are refused, then what is at risk. */
export async function attention(context: MemberContext): Promise<Attention> {
  const may = (...any: readonly Permission[]) =>
    any.some((permission) => context.organizationAccess.permissions.has(permission));
  const seesProducts = may("products:view", "products:manage", "products:rotate_key");
  const parts = [
    may("analytics:view") ? refusals(context) : [],
    seesProducts ? quota(context) : [],
    may("webhooks:view", "webhooks:manage") ? webhooks(context) : [],
    may("analytics:view") ? sharing(context) : [],
    may("transfers:review") ? transfers(context) : [],
    seesProducts ? unusedApiKeys(context) : [],
  ];
  return (await Promise.all(parts)).flat();
}

const hoursNow = 24;
const hoursBefore = 7 * 24;

/** Whether many validations of the last 24 hours were refused, compared with the week before. */
async function refusals({ store, organization, nowMs }: MemberContext): Promise<Of<"refusals">> {
  const to = Math.floor(nowMs / hourMs) + 1;
  const starts = [to - hoursNow - hoursBefore, to - hoursNow];
  const [first = 0, second = 0] = starts;
  const scope = { organizationId: organization.id, productId: allProducts };
  const db = store.listReads;
  // The requests of places are not told apart, so no GeoIP file is needed.
  const [before, now] = await withOpenTail(db, organization.id, null, (tail) =>
    countRequests(db, scope, { from: first, to }, starts, tail),
  );
  const current = validationsOf(now);
  const earlier = validationsOf(before);
  const change = refusalChange(current, earlier);
  const [outcome, count] = current.byOutcome[0] ?? [];
  if (change === null || outcome === undefined || count === undefined) return [];
  return [
    {
      kind: "refusals",
      from: isoTime(second * hourMs),
      to: isoTime(to * hourMs),
      change,
      validations: current.validations,
      refused: current.refused,
      usual_share: usualShare(earlier),
      outcome,
      outcome_count: count,
    },
  ];
}

function validationsOf(hours: HourCounts | undefined) {
  const ofValidations = [...(hours?.counts ?? [])].flatMap(([key, count]) => {
    const [endpoint, outcome = ""] = key.split(" ");
    return endpoint === "validate" ? [[outcome, count] as const] : [];
  });
  const refused = ofValidations.filter(([outcome]) => outcome !== "active");
  return {
    validations: total(ofValidations),
    refused: total(refused),
    byOutcome: refused.toSorted(([, a], [, b]) => b - a),
  };
}

function total(counts: readonly (readonly [string, number])[]): number {
  return counts.reduce((sum, [, count]) => sum + count, 0);
}

/** As for the event `quota.warning`. */
const nearlyAll = 0.8;

async function quota(context: MemberContext): Promise<Of<"quota">> {
  const products = await quotaUse(context, null);
  return products
    .flatMap(({ daily_limit, ...product }) => (daily_limit === null ? [] : [{ ...product, daily_limit }]))
    .filter(({ used_today, daily_limit }) => used_today >= daily_limit * nearlyAll)
    .slice(0, maxAttentionOfKind)
    .map(({ product_id, product_name, used_today, daily_limit, resets_at }) => ({
      ...({ kind: "quota", product_id, product_name } as const),
      ...{ used_today, daily_limit, resets_at },
    }));
}

async function webhooks({ store, organization }: MemberContext): Promise<Of<"webhook">> {
  const endpoints = await endpointsInTrouble(store.reads, organization.id, maxAttentionOfKind);
  return endpoints.map((endpoint) => ({
    kind: "webhook",
    webhook_id: endpoint.id,
    description: endpoint.description,
    url: endpoint.url,
    state:
      endpoint.status === "enabled" ? "failing" : endpoint.disabled_reason === "gone" ? "gone" : "disabled",
    since: isoTime((endpoint.disabled_at ?? endpoint.failing_since) as number),
  }));
}

const maxCounted = 100;

async function sharing(context: MemberContext): Promise<Of<"sharing">> {
  const from = isoTime(context.nowMs - 7 * dayMs);
  const { licenses, ...range } = await countSuspects(context, { from, time_zone: "UTC" });
  return licenses === 0 ? [] : [{ kind: "sharing", ...range, licenses }];
}

async function transfers({ store, organization }: MemberContext): Promise<Of<"transfers">> {
  const waiting = await countPendingTransfers(store.reads, organization.id, maxCounted);
  return waiting === 0 ? [] : [{ kind: "transfers", waiting }];
}

async function unusedApiKeys({ store, organization, nowMs }: MemberContext): Promise<Of<"unused_api_keys">> {
  const when = { nowMs, unusedSinceMs: nowMs - unusedAfterMs, limit: maxAttentionOfKind };
  const products = await unusedKeyCounts(store.reads, organization.id, when);
  return products.map(({ id, name, count }) => ({
    kind: "unused_api_keys",
    product_id: id,
    product_name: name,
    api_keys: count,
  }));
}
