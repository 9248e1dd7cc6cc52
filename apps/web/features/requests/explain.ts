import { queryOptions } from "@tanstack/react-query";
import { type Body, call } from "../../api/client.ts";

/** What a validation would return. It changes nothing, so it is asked like a question. */
export function askExplain(licenseId: string, request: Body<"explainLicense">) {
  return queryOptions({
    queryKey: ["explainLicense", licenseId, request] as const,
    queryFn: ({ signal }) =>
      call("explainLicense", { params: { license_id: licenseId }, body: request, signal }),
    staleTime: 0,
  });
}
