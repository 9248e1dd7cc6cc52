import { type HourRange, hourRange } from "@countersign/domain/analytics/range";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { hourMs } from "@countersign/domain/dates/lengths";
import { maskedKey } from "@countersign/domain/licenses/key";
import type { Scope } from "@countersign/store/queries/analytics/figures";
import { listedLicenses } from "@countersign/store/queries/analytics/listed-licenses";
import { productById } from "@countersign/store/queries/products/products";
import type { Geo } from "@countersign/store/rollups/geo";
import { allProducts } from "@countersign/store/rollups/roll-up";
import type { MemberContext, OrganizationContext } from "../../api/context.ts";
import { milliseconds } from "../../api/page.ts";
import { Problem } from "../../http/problem.ts";
import { loadedGeo } from "../geoip/geo-file.ts";

export interface SelectionQuery {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly product_id?: string | undefined;
  readonly time_zone: string;
}

/** What a request asks about. */
export interface Selection {
  readonly scope: Scope;
  readonly range: HourRange;
  readonly timeZone: string;
  readonly geo: Geo | null;
}

export async function selectionOf(context: OrganizationContext, query: SelectionQuery): Promise<Selection> {
  const { id: organizationId } = context.organization;
  const range = hourRange(
    {
      fromMs: query.from === undefined ? null : milliseconds(query.from),
      toMs: query.to === undefined ? null : milliseconds(query.to),
    },
    query.time_zone,
    context.nowMs,
  );
  if (range === null) throw new Problem("range_empty");
  if (query.product_id !== undefined) {
    const product = await productById(context.store.reads, query.product_id);
    if (product?.organization_id !== organizationId) throw new Problem("product_not_found");
  }
  return {
    scope: { organizationId, productId: query.product_id ?? allProducts },
    range,
    timeZone: query.time_zone,
    geo: await loadedGeo(context.config.geoipFile),
  };
}

export function shownRange({ from, to }: HourRange) {
  return { from: isoTime(from * hourMs), to: isoTime(to * hourMs) };
}

interface Days {
  readonly first: number;
  readonly last: number;
}

/** The UTC days that a range is part of. */
export function daysOf({ from, to }: HourRange): Days {
  return { first: Math.floor(from / 24), last: Math.floor((to - 1) / 24) };
}

/** As many days that end where these start. */
export function daysBefore({ first, last }: Days): Days {
  return { first: first - (last - first + 1), last: first - 1 };
}

type Counts = ReadonlyMap<string, number>;

/** What was counted in a range or in the period before: most in the range first, then most before. */
export function mostCounted(now: Counts, before: Counts): string[] {
  const countOf = (counts: Counts, key: string) => counts.get(key) ?? 0;
  return [...new Set([...now.keys(), ...before.keys()])].sort(
    (a, b) =>
      countOf(now, b) - countOf(now, a) || countOf(before, b) - countOf(before, a) || (a < b ? -1 : 1),
  );
}

export type Listed = Awaited<ReturnType<typeof listedLicenses>>[number];

/** The licenses with these IDs that still exist. */
export async function knownLicenses(
  context: OrganizationContext,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Listed>> {
  const rows = await listedLicenses(context.store.reads, context.organization.id, ids);
  return new Map(rows.map((row) => [row.id, row]));
}

/** A license as lists show it. Its customer is only shown to those who can view licenses. */
export function shownLicense(
  context: MemberContext,
  licenseId: string,
  productId: string,
  known: Listed | undefined,
) {
  const seesCustomers = context.organizationAccess.permissions.has("licenses:view");
  return {
    license_id: licenseId,
    license_key: known === undefined ? null : maskedKey(known.license_key),
    customer_name: (seesCustomers ? known?.customer_name : null) ?? null,
    customer_email: (seesCustomers ? known?.customer_email : null) ?? null,
    product_id: known?.product_id ?? productId,
    product_name: known?.product_name ?? null,
  };
}
