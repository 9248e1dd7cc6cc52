import { useQuery } from "@tanstack/react-query";
import { ask } from "../../api/queries.ts";
import { useOrganization } from "../../app/here.ts";

/** How many licenses were made, and how many run out. Both charts are read at once. */
export function useTrend() {
  const { id } = useOrganization();
  return useQuery({ ...ask("getLicenseTrend", { params: { organization_id: id } }), staleTime: 60_000 });
}
