import { useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";

/** Reads the log and the state of the endpoint anew, one time for each delivery that has come to an end. */
export function useRefreshOnce(deliveryId: string): () => void {
  const queries = useQueryClient();
  const done = useRef<string | null>(null);
  return () => {
    if (done.current === deliveryId) return;
    done.current = deliveryId;
    for (const read of ["getWebhook", "listWebhooks", "getWebhookStatistics", "listWebhookDeliveries"])
      void queries.invalidateQueries({ queryKey: [read] });
  };
}
