import type { listRequests } from "@countersign/contract/manage/requests";
import * as contract from "@countersign/contract/manage/requests";
import { csvLine } from "@countersign/domain/csv/csv";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { hourMs } from "@countersign/domain/dates/lengths";
import { parseQueriedIp } from "@countersign/domain/ip/cidr";
import { validateStatuses } from "@countersign/domain/validate/status";
import { everyRequest, type RequestFilter } from "@countersign/store/queries/requests/filter";
import {
  iterateRequests,
  lastValidation,
  type RequestIteration,
  requestById,
  searchRequests,
} from "@countersign/store/queries/requests/search";
import type { TimeRange } from "@countersign/store/queries/requests/span";
import type { Store } from "@countersign/store/store";
import type { z } from "zod";
import { type BoundRoute, bind, type OrganizationContext } from "../../api/context.ts";
import { download } from "../../api/download.ts";
import { decodeCursor, encodeCursor, milliseconds } from "../../api/page.ts";
import { invalid, Problem } from "../../http/problem.ts";
import { requestsKeptSince, type ShownRequest, showRequests } from "./show.ts";
import { requestStream } from "./stream.ts";

export const requestRoutes: readonly BoundRoute[] = [
  bind(contract.listRequests, async (context, { query }) => {
    const { id: organizationId } = context.organization;
    const { store } = context;
    const keptSinceMs = await keptSince(context);
    const after = decodeCursor(query.cursor, ["number", "text"]);
    const page = await searchRequests(store.listReads, {
      filter: filterOf(query, organizationId),
      range: rangeOf(query, keptSinceMs),
      after: after === null ? null : { at: Number(after[0]), id: String(after[1]) },
      limit: query.limit,
    });
    return {
      data: await showRequests(store.reads, organizationId, page.rows),
      next_cursor: page.next === null ? null : encodeCursor([page.next.at, page.next.id]),
      searched_until: isoTime(page.searchedUntilMs),
      kept_since: isoTime(keptSinceMs),
    };
  }),

  bind(contract.getRequest, async (context, input) => {
    const { id } = context.organization;
    const { store } = context;
    const filter = { ...everyRequest(id), requestId: input.params.request_id };
    const row = await requestById(store.listReads, filter, rangeOf({}, await keptSince(context)));
    const [request] = row === null ? [] : await showRequests(store.reads, id, [row]);
    if (request === undefined) throw new Problem("request_not_found");
    return request;
  }),

  bind(contract.streamRequests, async (context, { query }) => {
    const filter = filterOf(query, context.organization.id);
    return requestStream(context, filter, await keptSince(context));
  }),

  bind(contract.exportRequests, async (context, { query }) => {
    const filter = filterOf(query, context.organization.id);
    const range = rangeOf(query, await keptSince(context));
    return download(context, {
      name: `requests.${query.format}`,
      contentType: query.format === "csv" ? "text/csv; charset=utf-8" : "application/x-ndjson; charset=utf-8",
      parts: exportedRequests(context.store, { filter, range }, query.format),
    });
  }),

  bind(contract.getLastValidation, async (context) => {
    const { listReads } = context.store;
    const row = await lastValidation(listReads, context.product, context.nowMs - hourMs);
    const status = validateStatuses.find((known) => known === row?.status);
    if (row === undefined || status === undefined) return { request: null };
    const { id, at, license_id, problem } = row;
    return { request: { id, at: isoTime(at), status, license_id, problem } };
  }),
];

function keptSince(context: OrganizationContext): Promise<number> {
  return requestsKeptSince(context, context.organization);
}

function rangeOf(
  query: { from?: string | undefined; to?: string | undefined },
  keptSinceMs: number,
): TimeRange {
  return {
    fromMs: Math.max(keptSinceMs, query.from === undefined ? 0 : milliseconds(query.from)),
    untilMs: query.to === undefined ? Number.MAX_SAFE_INTEGER : milliseconds(query.to),
  };
}

type ExportFormat = "csv" | "jsonl";

/** How much is read at a time: small enough not to delay other requests. */
const rowsAtATime = 500;

/** The requests as a file, in parts. */
async function* exportedRequests(
  store: Store,
  { filter, range }: Pick<RequestIteration, "filter" | "range">,
  format: ExportFormat,
): AsyncGenerator<string, void> {
  if (format === "csv") yield csvLine(columns);
  const iteration = { filter, range, order: "newest", rowsTogether: rowsAtATime } as const;
  for await (const rows of iterateRequests(store.listReads, iteration)) {
    if (rows.length === 0) continue;
    const shown = await showRequests(store.reads, filter.organizationId, rows);
    yield shown.map(format === "csv" ? asCsv : asJsonLine).join("");
  }
}

const columns = [
  "id",
  "at",
  "endpoint",
  "outcome",
  "product_id",
  "product_name",
  "license_id",
  "license_key",
  "customer_name",
  "ip",
  "version",
  "device_id",
  "problem",
  "duration_ms",
  "count",
  "sandbox",
  "facts",
] as const satisfies readonly (keyof ShownRequest)[];

function asCsv(request: ShownRequest): string {
  const { facts, ...members } = request;
  const row = { ...members, facts: facts === null ? null : JSON.stringify(facts) };
  return csvLine(columns.map((name) => row[name]));
}

function asJsonLine(request: ShownRequest): string {
  return `${JSON.stringify(request)}\n`;
}

type ListQuery = z.output<typeof listRequests.query>;

/** The part of the queries that all routes of the request log have. */
type FilterQuery = Omit<ListQuery, "limit" | "cursor" | "from" | "to">;

function filterOf(query: FilterQuery, organizationId: string): RequestFilter {
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
  const queriedIp = parseQueriedIp(ip);
  if (queriedIp === null) throw invalid("ip", "not_an_ip");
  return queriedIp.countedAs;
}
