import { getRouteApi } from "@tanstack/react-router";
import type { Action } from "./action.ts";

const licenseRoute = getRouteApi("/signed-in/o/$organization/licenses/$licenseId");

/** The open action and a function to change it. It is stored in the URL. */
export function useAction(): [Action | undefined, (action: Action | undefined) => void] {
  const { do: action } = licenseRoute.useSearch();
  const navigate = licenseRoute.useNavigate();
  return [action, (next) => void navigate({ search: { do: next }, replace: true, resetScroll: false })];
}
