import { isRefused } from "@countersign/domain/validate/status";
import { type SelectQueryBuilder, sql } from "kysely";
import type { RequestLogRow } from "../../tables/journal.ts";
import type { Tables } from "../../tables.ts";

/** Which requests of an organization are meant: all that is not null must match. */
export interface RequestFilter {
  readonly organizationId: string;
  readonly productId: string | null;
  readonly licenseId: string | null;
  /** One of these, as the log has them. */
  readonly ips: readonly string[] | null;
  readonly requestId: string | null;
  readonly outcomes: readonly string[] | null;
  readonly refused: boolean | null;
  readonly endpoint: "validate" | "lookup" | null;
  readonly version: string | null;
  readonly deviceId: string | null;
  /** Part of its text, in any case. */
  readonly problem: string | null;
  /** Only those that took at least as many microseconds. */
  readonly minDurationUs: number | null;
  readonly sandbox: boolean | null;
}

/** All requests of an organization. */
export function everyRequest(organizationId: string): RequestFilter {
  return {
    organizationId,
    productId: null,
    licenseId: null,
    ips: null,
    requestId: null,
    outcomes: null,
    refused: null,
    endpoint: null,
    version: null,
    deviceId: null,
    problem: null,
    minDurationUs: null,
    sandbox: null,
  };
}

type LogQuery<O> = SelectQueryBuilder<Tables, "request_log", O>;

/** Adds the conditions to a query. `matches` is the same for rows in memory. */
export function filtered<O>(query: LogQuery<O>, filter: RequestFilter): LogQuery<O> {
  let narrowed = query.where("organization_id", "=", filter.organizationId);
  if (filter.productId !== null) narrowed = narrowed.where("product_id", "=", filter.productId);
  if (filter.licenseId !== null) narrowed = narrowed.where("license_id", "=", filter.licenseId);
  if (filter.ips !== null) narrowed = narrowed.where("ip", "in", listed(filter.ips));
  if (filter.requestId !== null) narrowed = narrowed.where("id", "=", filter.requestId);
  if (filter.outcomes !== null) narrowed = narrowed.where("status", "in", listed(filter.outcomes));
  if (filter.refused !== null)
    narrowed = narrowed.where("status", filter.refused ? "not in" : "in", accepted);
  if (filter.endpoint !== null) narrowed = narrowed.where("endpoint", "=", filter.endpoint);
  if (filter.version !== null) narrowed = narrowed.where("version", "=", filter.version);
  if (filter.deviceId !== null) narrowed = narrowed.where("device_id", "=", filter.deviceId);
  if (filter.problem !== null) {
    const pattern = `%${filter.problem.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`;
    narrowed = narrowed.where(sql<boolean>`lower(problem) like ${pattern} escape '\\'`);
  }
  if (filter.minDurationUs !== null) narrowed = narrowed.where("duration_us", ">=", filter.minDurationUs);
  if (filter.sandbox !== null) narrowed = narrowed.where("sandbox", "=", filter.sandbox ? 1 : 0);
  return narrowed;
}

/** Whether a row is meant. */
export function matches(filter: RequestFilter, row: RequestLogRow): boolean {
  const { productId, licenseId, ips, requestId, outcomes, refused, endpoint } = filter;
  const { version, deviceId, problem, minDurationUs, sandbox } = filter;
  return (
    row.organization_id === filter.organizationId &&
    (productId === null || row.product_id === productId) &&
    (licenseId === null || row.license_id === licenseId) &&
    (ips === null || ips.includes(row.ip)) &&
    (requestId === null || row.id === requestId) &&
    (outcomes === null || outcomes.includes(row.status)) &&
    (refused === null || isRefused(row.status) === refused) &&
    (endpoint === null || row.endpoint === endpoint) &&
    (version === null || row.version === version) &&
    (deviceId === null || row.device_id === deviceId) &&
    (problem === null || (row.problem?.toLowerCase().includes(problem.toLowerCase()) ?? false)) &&
    (minDurationUs === null || row.duration_us >= minDurationUs) &&
    (sandbox === null || (row.sandbox === 1) === sandbox)
  );
}

/** Databases do not accept an empty list. No column is an empty text. */
function listed(values: readonly string[]): readonly string[] {
  return values.length === 0 ? [""] : values;
}

const accepted = ["active", "found"];
