import { groups, manage } from "virtual:routes";
import {
  type InfiniteData,
  infiniteQueryOptions,
  QueryClient,
  queryOptions,
  useMutation,
} from "@tanstack/react-query";
import type { AnyInput, Rest } from "./client.ts";
import { type Answer, callAny, type Input, type RouteId } from "./client.ts";
import { ApiProblem } from "./problem.ts";
import { place } from "./send.ts";
import { groupsAfter } from "./shown-in.ts";

export const queryClient = new QueryClient({
  defaultOptions: {
    // Without a network, a page reports it instead of waiting silently.
    mutations: { networkMode: "always" },
    queries: {
      networkMode: "always",
      staleTime: 10_000,
      retry: (failures, error) => failures < 2 && !(error instanceof ApiProblem && error.status < 500),
    },
  },
});

type Asked<Id extends RouteId> = Rest<Input<Id, "body" | "signal">>;

/** A GET route as a query; its input is part of the cache key. */
export function ask<Id extends RouteId>(id: Id, ...[input]: Asked<Id>) {
  const request: AnyInput = input ?? {};
  return queryOptions({
    queryKey: [id, request.params ?? {}, request.query ?? {}] as const,
    queryFn: ({ signal }) => callAny(id, { ...request, signal }),
  });
}

/** A list, loaded page by page. */
export function askPages<Id extends RouteId>(id: Id, ...[input]: Asked<Id>) {
  const request: AnyInput = input ?? {};
  return infiniteQueryOptions({
    queryKey: [id, request.params ?? {}, { ...request.query, pages: true }] as const,
    queryFn: ({ signal, pageParam }) =>
      callAny(id, {
        ...request,
        query: { ...request.query, ...(pageParam === null ? {} : { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => (last as { next_cursor: string | null }).next_cursor,
  });
}

/** All pages loaded so far, as one list. */
export function flat<T>(data: InfiniteData<{ data: readonly T[] }> | undefined): T[] {
  return data?.pages.flatMap((page) => page.data) ?? [];
}

/**
 * A route that changes something. Afterwards, what may be out of date is loaded again, unless the caller does that, with
 * `reloadAfter`, because it leaves the page or takes the answer first.
 */
export function useChange<Id extends RouteId>(id: Id, { reloads = true }: { reloads?: boolean } = {}) {
  return useMutation<Answer<Id>, Error, Input<Id, "signal">>({
    mutationKey: [id],
    mutationFn: (input) => callAny(id, input),
    onSettled: (_answer, _error, { params }: AnyInput) => (reloads ? reloadAfter(id, params) : undefined),
  });
}

/**
 * Loads again what may be out of date after a change: everything cached of the route's group and of those that show its
 * data (`groupsAfter`). What is on no open page is loaded when it is needed.
 */
export async function reloadAfter(id: RouteId, params: Readonly<Record<string, string>> = {}): Promise<void> {
  const after = groupsAfter(groups.get(id) ?? "");
  const [method, path] = (manage[id] ?? "").split(" ");
  // A page of what was deleted stays open until the user has left it, and would show that it is gone.
  const isOneDeleted = method === "DELETE" && path?.endsWith("}") === true;
  const deleted = isOneDeleted ? `${place("", manage[id], params).url}/` : null;
  await queryClient.invalidateQueries({
    predicate: ({ queryKey: [read, of] }) => {
      const route = manage[String(read)];
      // The IDs of other routes are keys of trial runs, such as forecasts.
      if (!route?.startsWith("GET ") || !after.has(groups.get(String(read)) ?? "")) return false;
      return deleted === null || !`${place("", route, of as typeof params).url}/`.startsWith(deleted);
    },
  });
}

/** After a change by a sign-in route, which has no group: all of them change the user's account. */
export function reloadAccount(): Promise<void> {
  return reloadAfter("updateMe");
}
