import { licensesRoute } from "./list-route.ts";
import type { LicenseSearch } from "./search.ts";

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
