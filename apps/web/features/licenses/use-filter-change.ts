import { licensesRoute } from "./list-route.ts";
import type { LicenseSearch } from "./search.ts";

/** Changes part of the address. A view is left by the same step back as any page. */
export function useFilterChange(): (part: LicenseSearch, options?: { replace?: boolean }) => void {
  const navigate = licensesRoute.useNavigate();
  return (part, { replace = false } = {}) =>
    void navigate({
      search: (before: LicenseSearch) => ({ ...before, ...part }),
      replace,
      resetScroll: false,
    });
}
