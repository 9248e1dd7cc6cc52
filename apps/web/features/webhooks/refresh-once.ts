import { useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";

/** Refetches the log and the endpoint once for each delivery that has finished. */
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
