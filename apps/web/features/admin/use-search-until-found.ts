import { useEffect } from "react";

export interface Pages {
  readonly isPending: boolean;
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly fetchNextPage: () => unknown;
}

/** A search reads one part of the list at a time. Continues until something is found or the end is reached. */
export function useSearchUntilFound(pages: Pages, found: number): { readonly isPending: boolean } {
  const { isPending, hasNextPage, isFetchingNextPage, fetchNextPage } = pages;
  const isSearching = found === 0 && hasNextPage;
  useEffect(() => {
    if (isSearching && !isFetchingNextPage) fetchNextPage();
  }, [isSearching, isFetchingNextPage, fetchNextPage]);
  return { isPending: isPending || isSearching };
}
