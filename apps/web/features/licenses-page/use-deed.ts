import { getRouteApi } from "@tanstack/react-router";
import type { Deed } from "./deed.ts";

const licenseRoute = getRouteApi("/inside/o/$organization/licenses/$licenseId");

/** What is open, and a way to open another or to close it: it stands in the address. */
export function useDeed(): [Deed | undefined, (deed: Deed | undefined) => void] {
  const { do: deed } = licenseRoute.useSearch();
  const navigate = licenseRoute.useNavigate();
  return [deed, (next) => void navigate({ search: { do: next }, replace: true, resetScroll: false })];
}
