import { useQuery } from "@tanstack/react-query";
import { ask } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";

const shown = 6;

/** The first products and their request counts. */
export function useUsage({ isWanted = true } = {}) {
  const { id } = useOrganization();
  return useQuery({
    ...ask("listProductUsage", { params: { organization_id: id }, query: { limit: shown } }),
    enabled: isWanted,
    refetchInterval: 60_000,
  });
}
