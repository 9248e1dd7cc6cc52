import { type RequestOutcome, requestOutcomes } from "@countersign/domain/requests/outcome";
import type { Query } from "../../api/client.ts";
import { timeInUrl } from "../../ui/time-in-url.ts";

/** The filters of the request log, with the names of the API, and whether new requests are shown as they happen. */
export interface RequestSearch extends RequestFilters {
  live?: true | undefined;
}

export interface RequestFilters {
  refused?: boolean | undefined;
  outcome?: readonly RequestOutcome[] | undefined;
  endpoint?: Endpoint | undefined;
  product_id?: string | undefined;
  license_id?: string | undefined;
  ip?: string | undefined;
  version?: string | undefined;
  device_id?: string | undefined;
  problem?: string | undefined;
  sandbox?: boolean | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

export const endpoints = ["validate", "lookup"] as const;
export type Endpoint = (typeof endpoints)[number];

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

export function readSearch(search: Record<string, unknown>): RequestSearch {
  return {
    refused: flagOf(search.refused),
    outcome: outcomesOf(search.outcome),
    endpoint: endpoints.find((endpoint) => endpoint === search.endpoint),
    product_id: textOf(search.product_id, 64),
    license_id: textOf(search.license_id, 64),
    ip: textOf(search.ip, 64),
    version: textOf(search.version, 256),
    device_id: textOf(search.device_id, 256),
    problem: textOf(search.problem, 100),
    sandbox: flagOf(search.sandbox),
    from: timeInUrl(search.from),
    to: timeInUrl(search.to),
    live: search.live === true ? true : undefined,
  };
}

/** The query parameters of the list and the export. */
export function queryOf(filters: RequestFilters): Partial<Query<"listRequests">> {
  return { ...liveQueryOf(filters), ...present({ from: filters.from, to: filters.to }) };
}

/** The query parameters of the live stream: new requests are in no range of the past. */
export function liveQueryOf(filters: RequestFilters): Partial<Query<"streamRequests">> {
  const { refused, sandbox, outcome, endpoint, product_id, license_id } = filters;
  const { ip, version, device_id, problem } = filters;
  const flags = { refused: flagText(refused), sandbox: flagText(sandbox) };
  const same = { endpoint, product_id, license_id, ip, version, device_id, problem };
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

function flagOf(value: unknown): boolean | undefined {
  if (value === true || value === "true") return true;
  return value === false || value === "false" ? false : undefined;
}

/** The router reads `1.5` as a number. */
function textOf(value: unknown, longest: number): string | undefined {
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string" || text.trim() === "") return undefined;
  return text.trim().slice(0, longest);
}

function outcomesOf(value: unknown): readonly RequestOutcome[] | undefined {
  const wanted = Array.isArray(value) ? value : [value];
  const outcomes = requestOutcomes.filter((outcome) => wanted.includes(outcome));
  return outcomes.length === 0 ? undefined : outcomes;
}
