import { getRouteApi } from "@tanstack/react-router";
import type { Body, Item, Query } from "../../api/client.ts";
import { termOf } from "../../ui/search-term.ts";

/** The search parameters of the list: filters and order, with the names of the API. */
export interface LicenseSearch {
  q?: string | undefined;
  status?: Status | undefined;
  product_id?: string | undefined;
  customer_id?: string | undefined;
  tag?: string | undefined;
  expires_within_days?: number | undefined;
  never_used?: boolean | undefined;
  min_ips?: number | undefined;
  has_notes?: boolean | undefined;
  sort?: Sort | undefined;
  order?: "asc" | "desc" | undefined;
}

export const statuses = ["active", "expired", "revoked"] as const;
export type Status = (typeof statuses)[number];
export type Sort = "created_at" | "expires_at" | "updated_at";
type BulkFilter = NonNullable<Body<"bulkLicenses">["selection"]["filter"]>;

/** In the order of their chips. */
export const filterNames = [
  "status",
  "product_id",
  "customer_id",
  "expires_within_days",
  "never_used",
  "min_ips",
  "tag",
  "has_notes",
] as const;
export type FilterName = (typeof filterNames)[number];

export function readSearch(search: Record<string, unknown>): LicenseSearch {
  return {
    q: wordOf(search.q)?.slice(0, 100),
    status: oneOf(statuses, search.status),
    product_id: wordOf(search.product_id),
    customer_id: wordOf(search.customer_id),
    tag: wordOf(search.tag),
    expires_within_days: wholeOf(search.expires_within_days, 0, 36_500),
    never_used: flagOf(search.never_used),
    min_ips: wholeOf(search.min_ips, 1, 1_000_000),
    has_notes: flagOf(search.has_notes),
    sort: oneOf(["created_at", "expires_at", "updated_at"] as const, search.sort),
    order: oneOf(["asc", "desc"] as const, search.order),
  };
}

/** The query parameters for the list and the export. */
export function queryOf(search: LicenseSearch): Partial<Query<"exportLicenses">> {
  const { never_used, has_notes, q, sort: _sort, order: _order, ...same } = search;
  return withoutGaps({
    ...same,
    q: termOf(q),
    never_used: never_used === undefined ? undefined : never_used ? "true" : "false",
    has_notes: has_notes === undefined ? undefined : has_notes ? "true" : "false",
  }) as Partial<Query<"exportLicenses">>;
}

/** The filter for a bulk action. */
export function filterOf({ q, sort: _sort, order: _order, ...same }: LicenseSearch): BulkFilter {
  return withoutGaps({ ...same, q: termOf(q) }) as BulkFilter;
}

export function isFiltered(search: LicenseSearch): boolean {
  return termOf(search.q) !== undefined || filterNames.some((name) => search[name] !== undefined);
}

/** Whether two searches show the same licenses in the same order. */
export function isSame(a: LicenseSearch, b: LicenseSearch): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

/** A license in a list. */
export type License = Item<"listLicenses">;

export const licensesRoute = getRouteApi("/signed-in/o/$organization/licenses");

/** Changes part of the URL's search. Unless replaced, the back button undoes it. */
export function useFilterChange(): (part: LicenseSearch, options?: { replace?: boolean }) => void {
  const navigate = licensesRoute.useNavigate();
  return (part, { replace = false } = {}) =>
    void navigate({
      search: (before: LicenseSearch) => ({ ...before, ...part }),
      replace,
      resetScroll: false,
    });
}

/** Actions that the page of a license can open from a link. */
export const licenseActions = ["edit", "renew", "revoke", "rotate", "transfer", "reset", "delete"] as const;
export type Action = (typeof licenseActions)[number];

export function withoutGaps<T extends object>(value: T): T {
  return Object.fromEntries(
    Object.entries(value).filter(([, member]) => member !== undefined && member !== ""),
  ) as T;
}

/** The router parses numeric text in a URL as a number. */
function wordOf(value: unknown): string | undefined {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && text !== "" ? text : undefined;
}

function sorted(search: LicenseSearch) {
  return Object.entries(withoutGaps(search)).sort(([a], [b]) => (a < b ? -1 : 1));
}

function oneOf<T extends string>(allowed: readonly T[], value: unknown): T | undefined {
  return allowed.find((word) => word === value);
}

function wholeOf(value: unknown, min: number, max: number): number | undefined {
  const number = Number(value);
  return value !== "" && Number.isInteger(number) && number >= min && number <= max ? number : undefined;
}

function flagOf(value: unknown): boolean | undefined {
  return value === true || value === "true" ? true : value === false || value === "false" ? false : undefined;
}
