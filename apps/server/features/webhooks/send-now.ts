import { isFinal } from "@countersign/domain/webhooks/delivery-state";
import { deliveryOf } from "@countersign/store/queries/webhooks/deliveries";
import { makeDue } from "@countersign/store/queries/webhooks/hold-deliveries";
import type { OrganizationContext } from "../../api/context.ts";
import { Problem } from "../../http/problem.ts";
import { audit } from "../audit-log/record.ts";
import { currentEndpoint } from "./endpoints.ts";
import { checkEnabled } from "./replay-one.ts";
import { type ShownDelivery, showDelivery, subjectOf } from "./show.ts";

/** Brings the next attempt of a waiting delivery forward: a receiver that works again need not wait for hours. */
export async function sendNow(
  context: OrganizationContext,
  endpointId: string,
  deliveryId: string,
): Promise<ShownDelivery> {
  return context.transaction(async (db) => {
    const endpoint = await currentEndpoint(db, context, endpointId);
    const before = await deliveryOf(db, endpoint.id, deliveryId);
    if (before === undefined) throw new Problem("delivery_not_found");
    checkEnabled(endpoint);
    if (isFinal(before.state)) throw new Problem("delivery_finished");
    if (!(await makeDue(db, before.id, context.nowMs))) throw new Problem("delivery_in_progress");
    await audit(db, context, {
      action: "webhook.delivery_sent_now",
      subject: subjectOf(endpoint),
      after: { delivery_id: before.id },
    });
    const after = await deliveryOf(db, endpoint.id, deliveryId);
    return showDelivery(after ?? before);
  });
}
