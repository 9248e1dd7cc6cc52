import { getRouteApi } from "@tanstack/react-router";
import type { Item } from "../../api/client.ts";
import type { LicenseSearch } from "./search.ts";

export const licensesRoute = getRouteApi("/signed-in/o/$organization/licenses");

/** Changes part of the URL's search. Unless replaced, the back button undoes it. */
export function useFilterChange(): (part: LicenseSearch, options?: { replace?: boolean }) => void {
  const navigate = licensesRoute.useNavigate();
  return (part, { replace = false } = {}) =>
    void navigate({
      search: (before: LicenseSearch) => ({ ...before, ...part }),
      replace,
      resetScroll: false,
    });
}

/** A license in a list. */
export type License = Item<"listLicenses">;
