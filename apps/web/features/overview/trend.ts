import { useQuery } from "@tanstack/react-query";
import { ask } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";

/** How many licenses were created and how many expire. One request serves both charts. */
export function useTrend() {
  const { id } = useOrganization();
  return useQuery({ ...ask("getLicenseTrend", { params: { organization_id: id } }), staleTime: 60_000 });
}
