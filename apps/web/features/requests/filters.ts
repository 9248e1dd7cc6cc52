import { requestOutcomes } from "@countersign/domain/validate/status";
import type { Query } from "../../api/client.ts";
import type { RequestFilters } from "./search.ts";

/** In the order of their chips. */
export const filterNames = [
  "refused",
  "outcome",
  "product_id",
  "license_id",
  "ip",
  "version",
  "device_id",
  "problem",
  "min_duration_ms",
  "endpoint",
  "sandbox",
] as const satisfies readonly (keyof RequestFilters)[];
export type FilterName = (typeof filterNames)[number];

/** Removes every filter. */
export const noFilters: RequestFilters = {
  ...Object.fromEntries(filterNames.map((name) => [name, undefined])),
  from: undefined,
  to: undefined,
};

/** The filters of a URL, each outcome once and in order of precedence. */
export function knownFilters<Filters extends RequestFilters>(filters: Filters): Filters {
  const outcome = requestOutcomes.filter((one) => filters.outcome?.includes(one));
  return { ...filters, outcome: outcome.length === 0 ? undefined : outcome };
}

/** The query parameters of the list and the export. */
export function queryOf(filters: RequestFilters): Partial<Query<"listRequests">> {
  return { ...liveQueryOf(filters), ...present({ from: filters.from, to: filters.to }) };
}

/** The query parameters of the live stream: new requests are in no range of the past. */
export function liveQueryOf(filters: RequestFilters): Partial<Query<"streamRequests">> {
  const { refused, sandbox, outcome, endpoint, product_id, license_id } = filters;
  const { ip, version, device_id, problem, min_duration_ms } = filters;
  const flags = { refused: flagText(refused), sandbox: flagText(sandbox) };
  const same = { endpoint, product_id, license_id, ip, version, device_id, problem, min_duration_ms };
  return present({ ...flags, ...same, outcome: outcome === undefined ? undefined : [...outcome] });
}

export function isFiltered(filters: RequestFilters): boolean {
  return (
    filters.from !== undefined ||
    filters.to !== undefined ||
    filterNames.some((name) => filters[name] !== undefined)
  );
}

/** Only what is set, because the URL and the cache key have no empty values. */
function present<T extends object>(values: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}

function flagText(flag: boolean | undefined): "true" | "false" | undefined {
  if (flag === undefined) return undefined;
  return flag ? "true" : "false";
}
