import {
  type InfiniteData,
  infiniteQueryOptions,
  QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { type Answer, type Body, call, type Input, type RouteId } from "./client.ts";
import { ApiProblem } from "./problem.ts";

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

/** A GET route as a query; its input is part of the cache key. */
export function ask<Id extends RouteId>(id: Id, input: Omit<Input<Id>, "body" | "signal"> = {}) {
  return queryOptions({
    queryKey: [id, input.params ?? {}, input.query ?? {}] as const,
    queryFn: ({ signal }) => call(id, { ...input, signal }),
  });
}

/** A list, loaded page by page. */
export function askPages<Id extends RouteId>(id: Id, input: Omit<Input<Id>, "body" | "signal"> = {}) {
  return infiniteQueryOptions({
    queryKey: [id, input.params ?? {}, { ...input.query, pages: true }] as const,
    queryFn: ({ signal, pageParam }) =>
      call(id, {
        ...input,
        query: {
          ...input.query,
          ...(pageParam === null ? {} : { cursor: pageParam }),
        } as Input<Id>["query"] & {},
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

/** A route that changes something. Afterwards, the queries of the routes in `touches` are reloaded. */
export function useChange<Id extends RouteId>(id: Id, touches: readonly RouteId[] = []) {
  const queries = useQueryClient();
  return useMutation<Answer<Id>, Error, ChangeInput<Id>>({
    mutationKey: [id],
    mutationFn: (input) => call(id, input),
    onSettled: () =>
      Promise.all(touches.map((touched) => queries.invalidateQueries({ queryKey: [touched] }))),
  });
}

interface ChangeInput<Id extends RouteId> {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Input<Id>["query"] & {};
  readonly body?: Body<Id>;
  readonly idempotencyKey?: string;
}
