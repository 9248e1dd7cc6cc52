import { parseIpAddress } from "@countersign/domain/ip/ip-address";
import { requestOutcomes } from "@countersign/domain/validate/status";
import { getRouteApi } from "@tanstack/react-router";
import type { Query } from "../../api/client.ts";
import type { RequestFilters, RequestSearch } from "./search.ts";

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

export const requestsRoute = getRouteApi("/signed-in/o/$organization/requests");

/** Changes part of the URL's search. Unless replaced, the back button undoes it. */
export function useFilterChange(): (part: RequestSearch, options?: { replace?: boolean }) => void {
  const navigate = requestsRoute.useNavigate();
  return (part, { replace = false } = {}) =>
    void navigate({
      search: (before: RequestSearch) => ({ ...before, ...part }),
      replace,
      resetScroll: false,
    });
}

/** What a pasted text can be: the ID of a request or a license, an IP address, or a license key. */
export type Pasted =
  | { readonly kind: "id"; readonly id: string }
  | { readonly kind: "ip"; readonly ip: string }
  | { readonly kind: "key"; readonly key: string };

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Log lines often surround an ID with quotes, or have a name before it. */
const around = /^(?:x-request-id|request[ _-]?id)?[\s:="'<([]+|[\s"'>)\].,;]+$/gi;

/** Null for nothing. */
export function pasted(text: string): Pasted | null {
  const bare = text.trim().replace(around, "");
  if (bare === "") return null;
  if (uuid.test(bare)) return { kind: "id", id: bare.toLowerCase() };
  const [host = ""] = bare.split("/64");
  const address = parseIpAddress(host);
  if (address !== null && (bare === host || bare === `${host}/64`))
    return { kind: "ip", ip: bare === host ? address.text : `${address.text}/64` };
  return { kind: "key", key: text.trim() };
}
