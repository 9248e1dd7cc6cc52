import { useEffect } from "react";

export interface Pages {
  readonly isPending: boolean;
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly fetchNextPage: () => unknown;
}

/** A search reads a part at a time, and a part may hold nothing: goes on until something is found or all was read. */
export function useSearchOn(pages: Pages, found: number): { readonly isPending: boolean } {
  const { isPending, hasNextPage, isFetchingNextPage, fetchNextPage } = pages;
  const isSearching = found === 0 && hasNextPage;
  useEffect(() => {
    if (isSearching && !isFetchingNextPage) fetchNextPage();
  }, [isSearching, isFetchingNextPage, fetchNextPage]);
  return { isPending: isPending || isSearching };
}
