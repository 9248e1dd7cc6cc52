import { useQuery } from "@tanstack/react-query";
import { ask } from "../api/queries.ts";
import type { Organization } from "./current-organization.ts";
import { mayOpen } from "./navigation.ts";

const refreshMs = 60_000;

/** How many license transfers wait for a decision: 0 without permission to decide, or while it is not known. */
export function useWaitingTransfers(organization: Organization | null): number {
  const { data } = useQuery({
    ...ask("listTransfers", {
      params: { organization_id: organization?.id ?? "" },
      query: { state: "pending", limit: maxCounted + 1 },
    }),
    enabled: organization !== null && mayOpen(organization, "transfers"),
    // Customers request and cancel transfers at any time.
    staleTime: refreshMs,
    refetchInterval: refreshMs,
  });
  return data?.data.length ?? 0;
}

const maxCounted = 99;

/** The count as text: one page is read, so it ends at "99+". */
export function waitingText(count: number): string {
  return count > maxCounted ? `${maxCounted}+` : String(count);
}
