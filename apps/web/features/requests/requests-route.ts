import { getRouteApi } from "@tanstack/react-router";
import type { RequestSearch } from "./search.ts";

export const requestsRoute = getRouteApi("/signed-in/o/$organization/requests");

/** Changes part of the URL's search. Unless replaced, the back button undoes it. */
export function useFilterChange(): (part: RequestSearch, options?: { replace?: boolean }) => void {
  const navigate = requestsRoute.useNavigate();
  return (part, { replace = false } = {}) =>
    void navigate({
      search: (before: RequestSearch) => ({ ...before, ...part }),
      replace,
      resetScroll: false,
    });
}
