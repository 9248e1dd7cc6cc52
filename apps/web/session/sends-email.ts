import { useQuery } from "@tanstack/react-query";
import { ask } from "../api/queries.ts";

/** Whether this server sends emails. The operator configures it; it does not change while a page is open. */
export function useSendsEmail(): boolean {
  const { data } = useQuery({ ...ask("getSetup"), staleTime: Number.POSITIVE_INFINITY });
  return data?.email ?? true;
}
