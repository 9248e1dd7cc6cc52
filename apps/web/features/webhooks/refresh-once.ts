import { useRef } from "react";
import { reloadAfter } from "../../api/queries.ts";

/** Refetches the log and the endpoint once for each delivery that has finished. */
export function useRefreshOnce(deliveryId: string): () => void {
  const done = useRef<string | null>(null);
  return () => {
    if (done.current === deliveryId) return;
    done.current = deliveryId;
    void reloadAfter("sendWebhookDeliveryNow");
  };
}
