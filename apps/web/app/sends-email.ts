import { useQuery } from "@tanstack/react-query";
import { ask } from "../api/queries.ts";

/** Whether this server sends emails. It is set by the operator, and does not change while a page is open. */
export function useSendsEmail(): boolean {
  const { data } = useQuery({ ...ask("getSetup"), staleTime: Number.POSITIVE_INFINITY });
  return data?.email ?? true;
}
