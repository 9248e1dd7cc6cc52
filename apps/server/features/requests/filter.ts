import type { listRequests } from "@countersign/contract/manage/requests";
import { parseQueriedIp } from "@countersign/domain/ip/cidr";
import type { RequestFilter } from "@countersign/store/queries/requests/filter";
import type { z } from "zod";
import { invalid } from "../../http/problem.ts";

type ListQuery = z.output<typeof listRequests.query>;

/** The part of the queries that all routes of the request log have. */
type FilterQuery = Omit<ListQuery, "limit" | "cursor" | "from" | "to">;

export function filterOf(query: FilterQuery, organizationId: string): RequestFilter {
  const { outcome } = query;
  return {
    organizationId,
    productId: query.product_id ?? null,
    licenseId: query.license_id ?? null,
    ips: query.ip === undefined ? null : countedAs(query.ip),
    requestId: query.request_id ?? null,
    outcomes: outcome === undefined ? null : [outcome].flat(),
    refused: query.refused ?? null,
    endpoint: query.endpoint ?? null,
    version: query.version ?? null,
    deviceId: query.device_id ?? null,
    problem: query.problem ?? null,
    minDurationUs: query.min_duration_ms === undefined ? null : Math.round(query.min_duration_ms * 1_000),
    sandbox: query.sandbox ?? null,
  };
}

/** What the log can have in place of the IP address: products decide how IPv6 addresses count. */
function countedAs(ip: string): readonly string[] {
  const asked = parseQueriedIp(ip);
  if (asked === null) throw invalid("ip", "not_an_ip");
  return asked.countedAs;
}
