import { maxDurationMs } from "@countersign/domain/requests/log-days";
import type { RequestOutcome } from "@countersign/domain/validate/status";
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
  min_duration_ms?: number | undefined;
  sandbox?: boolean | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

export const endpoints = ["validate", "lookup"] as const;
export type Endpoint = (typeof endpoints)[number];

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
    min_duration_ms: millisecondsOf(search.min_duration_ms),
    sandbox: flagOf(search.sandbox),
    from: timeInUrl(search.from),
    to: timeInUrl(search.to),
    live: search.live === true ? true : undefined,
  };
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

/** As a user types it, with a point or a comma. */
export function millisecondsOf(value: unknown): number | undefined {
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string" || text.trim() === "") return undefined;
  const ms = Number(text.trim().replace(",", "."));
  return ms >= 0 && ms <= maxDurationMs ? ms : undefined;
}

/** Which of them exist is checked by the page, so that a first visit does not load their list. */
function outcomesOf(value: unknown): readonly RequestOutcome[] | undefined {
  const wanted = (Array.isArray(value) ? value : [value]).filter((one) => typeof one === "string");
  return wanted.length === 0 ? undefined : (wanted as RequestOutcome[]);
}
