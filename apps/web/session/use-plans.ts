import { useQuery } from "@tanstack/react-query";
import { ask } from "../api/queries.ts";
import { useOrganization } from "./current-organization.ts";
import type { Plan } from "./plan.ts";
import { type VersionChecks, versionChecksOf } from "./version-checks.ts";

/** The server's plans, the smallest first. Empty until they are loaded. */
export function usePlans(): readonly Plan[] {
  return useQuery({ ...ask("listPlans"), staleTime: 60_000 }).data?.data ?? noPlans;
}

const noPlans: readonly Plan[] = [];

/** Whether products of the current organization check versions. */
export function useVersionChecks(): VersionChecks {
  return versionChecksOf(useOrganization(), usePlans());
}
