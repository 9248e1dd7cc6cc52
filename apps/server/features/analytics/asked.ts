import { type HourRange, hourRange } from "@countersign/domain/analytics/range";
import { hourMs } from "@countersign/domain/dates/lengths";
import type { Scope } from "@countersign/store/queries/analytics/figures";
import { productById } from "@countersign/store/queries/products/products";
import type { Geo } from "@countersign/store/rollups/geo";
import { allProducts } from "@countersign/store/rollups/roll-up";
import type { OrganizationContext } from "../../api/context.ts";
import { iso, milliseconds } from "../../api/page.ts";
import { Problem } from "../../http/problem.ts";
import { loadedGeo } from "../geoip/geo-file.ts";

export interface AskedQuery {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly product_id?: string | undefined;
  readonly time_zone: string;
}

/** What a request asks about. */
interface Asked {
  readonly scope: Scope;
  readonly range: HourRange;
  readonly timeZone: string;
  readonly geo: Geo | null;
}

export async function askedIn(context: OrganizationContext, query: AskedQuery): Promise<Asked> {
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
  return { from: iso(from * hourMs), to: iso(to * hourMs) };
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
