import { useNavigate } from "@tanstack/react-router";
import { type Deed, licenseRoute } from "./routes.tsx";

/** What is open, and a way to open another or to close it: it stands in the address. */
export function useDeed(): [Deed | undefined, (deed: Deed | undefined) => void] {
  const { do: deed } = licenseRoute.useSearch();
  const navigate = useNavigate({ from: licenseRoute.fullPath });
  return [deed, (next) => void navigate({ search: { do: next }, replace: true, resetScroll: false })];
}
