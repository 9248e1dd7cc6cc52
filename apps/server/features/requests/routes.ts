import * as contract from "@countersign/contract/manage/requests";
import { hourMs } from "@countersign/domain/dates/lengths";
import { validateStatuses } from "@countersign/domain/validate/status";
import { everyRequest } from "@countersign/store/queries/requests/filter";
import { lastValidation, requestById, searchRequests } from "@countersign/store/queries/requests/search";
import type { TimeRange } from "@countersign/store/queries/requests/span";
import { type BoundRoute, bind } from "../../api/bind.ts";
import type { OrganizationContext } from "../../api/context.ts";
import { download } from "../../api/download.ts";
import { decodeCursor, encodeCursor, iso, milliseconds } from "../../api/page.ts";
import { Problem } from "../../http/problem.ts";
import { exportedRequests } from "./export.ts";
import { filterOf } from "./filter.ts";
import { requestsKeptSince } from "./kept-since.ts";
import { showRequests } from "./show.ts";
import { requestStream } from "./stream.ts";

export const requestRoutes: readonly BoundRoute[] = [
  bind(contract.listRequests, async (context, { query }) => {
    const { id: organizationId } = context.organization;
    const { store } = context;
    const keptSinceMs = await keptSince(context);
    const after = decodeCursor(query.cursor, ["number", "text"]);
    const found = await searchRequests(store.listReads, {
      filter: filterOf(query, organizationId),
      range: rangeOf(query, keptSinceMs),
      after: after === null ? null : { at: Number(after[0]), id: String(after[1]) },
      limit: query.limit,
    });
    return {
      data: await showRequests(store.reads, organizationId, found.rows),
      next_cursor: found.next === null ? null : encodeCursor([found.next.at, found.next.id]),
      searched_until: iso(found.searchedUntilMs),
      kept_since: iso(keptSinceMs),
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
    return { request: { id, at: iso(at), status, license_id, problem } };
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
