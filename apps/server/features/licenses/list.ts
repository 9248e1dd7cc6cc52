import type { licenseFilter } from "@countersign/contract/api/license-fields";
import { expiringUntilMs } from "@countersign/domain/licenses/expiring";
import { searchWords } from "@countersign/domain/licenses/search-text";
import { countLicenses } from "@countersign/store/queries/licenses/count-filtered";
import { everyLicenseOf, type LicenseFilter } from "@countersign/store/queries/licenses/filter";
import { licensePage } from "@countersign/store/queries/licenses/list";
import type { LicenseOrder, Position } from "@countersign/store/queries/licenses/scan";
import { licenseViews, showLicense } from "@countersign/store/queries/licenses/views";
import { productById } from "@countersign/store/queries/products/products";
import type { z } from "zod";
import type { OrganizationContext } from "../../api/context.ts";
import { decodeCursor, encodeCursor, wrongCursor } from "../../api/page.ts";

type FilterInput = {
  [K in keyof typeof licenseFilter]?: z.output<(typeof licenseFilter)[K]> | undefined;
};

interface ListQuery extends FilterInput {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly sort: LicenseOrder["by"];
  readonly order: "asc" | "desc";
  readonly count: boolean;
}

/** A million licenses are counted one by one in less, on a machine that has little else to do. */
const countTimeoutMs = 4_000;

export async function listLicenses(context: OrganizationContext, query: ListQuery) {
  const { store, nowMs } = context;
  const filter = await filterOf(context, query);
  const order = { by: query.sort, descending: query.order === "desc" };
  const after = positionOf(query.cursor, orderName(order));
  if (filter === null) {
    const none = query.count ? { total: 0, total_is_exact: true } : {};
    return { data: [], next_cursor: null, ...none };
  }
  const { ids, next } = await licensePage(store, { filter, order, nowMs }, after, query.limit);
  const views = await licenseViews(store.reads, ids);
  const { signal } = context.request;
  const counted = query.count
    ? await countLicenses(store, filter, nowMs, { timeoutMs: countTimeoutMs, signal })
    : null;
  return {
    data: views.map((view) => showLicense(view, nowMs)),
    next_cursor: next === null ? null : cursorOf(next, orderName(order)),
    ...(counted === null ? {} : { total: counted.count, total_is_exact: counted.exact }),
  };
}

/** Null if it can match no license: another organization's product counts as one that does not exist. */
export async function filterOf(
  context: OrganizationContext,
  input: FilterInput,
  nowMs = context.nowMs,
): Promise<LicenseFilter | null> {
  const organizationId = context.organization.id;
  const productId = context.product?.id ?? input.product_id ?? null;
  if (productId !== null && context.product === null) {
    const product = await productById(context.store.reads, productId);
    if (product?.organization_id !== organizationId) return null;
  }
  const days = input.expires_within_days;
  return {
    ...everyLicenseOf(organizationId),
    productId,
    customerId: input.customer_id ?? null,
    tag: input.tag ?? null,
    status: input.status ?? null,
    expiresByMs: days === undefined ? null : expiringUntilMs(nowMs, days),
    neverUsed: input.never_used ?? null,
    minIps: input.min_ips ?? null,
    hasNotes: input.has_notes ?? null,
    words: input.q === undefined ? null : searchWords(input.q),
  };
}

/**
 * The end of a page, in the order of this name. The same license is at another position in another order, so the cursor
 * of another list is rejected.
 */
export function positionOf(cursor: string | undefined, orderName: string): Position | null {
  const values = decodeCursor(cursor, ["text", "number", "text"]);
  if (values === null) return null;
  const [name, at, id] = values;
  if (name !== orderName) throw wrongCursor();
  return { at: Number(at), id: String(id) };
}

export function cursorOf(position: Position, orderName: string): string {
  return encodeCursor([orderName, position.at, position.id]);
}

function orderName({ by, descending }: LicenseOrder): string {
  return `licenses ${by} ${descending ? "desc" : "asc"}`;
}
