import { type InfiniteData, useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { type Answer, call, type Item } from "../../../api/client.ts";
import { askPages, flat, reloadAfter } from "../../../api/queries.ts";

export type ProductVersion = Item<"listVersions">;
export type VersionState = ProductVersion["state"];
export const states: readonly VersionState[] = ["latest", "allowed", "deprecated", "blocked"];

/** Loads all pages, because the entry that decides about a version can be on the last one. */
export function useVersions(productId: string) {
  const list = useInfiniteQuery(listOf(productId));
  const { hasNextPage, isFetchingNextPage, fetchNextPage, isError } = list;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !isError) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage, isError]);
  return {
    versions: flat(list.data),
    /** From the first page, so that changes during the loading of later pages are detected. */
    revision: list.data?.pages[0]?.revision,
    isPending: list.isPending,
    isWhole: list.data !== undefined && !hasNextPage,
    error: list.error,
  };
}

/** Changes the state of a version: shown immediately, undone if the server rejects it. */
export function useStateChange(productId: string) {
  const queries = useQueryClient();
  const { queryKey } = listOf(productId);
  return useMutation({
    scope: { id: `versions ${productId}` },
    mutationFn: ({ version, state }: { version: string; state: VersionState }) =>
      call("updateVersion", { params: { product_id: productId, version }, body: { state } }),
    onMutate: async (changed) => {
      await queries.cancelQueries({ queryKey });
      const before = queries.getQueryData(queryKey);
      queries.setQueryData(queryKey, (shown) => shown && withState(shown, changed));
      return before;
    },
    onError: (_error, _changed, before) => queries.setQueryData(queryKey, before),
    onSettled: () => reloadAfter("updateVersion"),
  });
}

function listOf(productId: string) {
  return askPages("listVersions", { params: { product_id: productId }, query: { limit: 200 } });
}

/** Only one version is the latest: the previous one becomes allowed. */
function withState<T extends InfiniteData<Answer<"listVersions">, unknown>>(
  shown: T,
  changed: { readonly version: string; readonly state: VersionState },
): T {
  const after = (row: ProductVersion): ProductVersion => {
    if (row.version === changed.version) return { ...row, state: changed.state };
    return changed.state === "latest" && row.state === "latest" ? { ...row, state: "allowed" } : row;
  };
  return { ...shown, pages: shown.pages.map((page) => ({ ...page, data: page.data.map(after) })) };
}
