import * as log from "@countersign/contract/manage/webhook-deliveries";
import * as contract from "@countersign/contract/manage/webhooks";
import { type BoundRoute, bind } from "../../../api/bind.ts";
import { listAttempts, listDeliveries, readDelivery } from "./deliveries.ts";
import { deleteEndpoint, disableEndpoint, enableEndpoint, rotateSecret } from "./endpoint-actions.ts";
import { changeEndpoint, createEndpoint, findEndpoint, listEndpoints, showEndpoint } from "./endpoints.ts";
import { replayMany, replayOne, sendNow, sendTest } from "./replay.ts";
import { endpointStatistics } from "./statistics.ts";

export const webhookRoutes: readonly BoundRoute[] = [
  bind(contract.listWebhooks, (context, { query }) => listEndpoints(context, query)),
  bind(contract.createWebhook, (context, { body }) => createEndpoint(context, body)),
  bind(contract.getWebhook, async (context, input) => {
    const db = context.store.reads;
    return showEndpoint(db, context, await findEndpoint(db, context, input.params.endpoint_id));
  }),
  bind(contract.updateWebhook, (context, input) =>
    changeEndpoint(context, input.params.endpoint_id, input.body),
  ),
  bind(contract.deleteWebhook, (context, input) => deleteEndpoint(context, input.params.endpoint_id)),
  bind(contract.disableWebhook, (context, input) => disableEndpoint(context, input.params.endpoint_id)),
  bind(contract.enableWebhook, (context, input) => enableEndpoint(context, input.params.endpoint_id)),
  bind(contract.rotateWebhookSecret, (context, input) =>
    rotateSecret(context, input.params.endpoint_id, input.body.overlap_seconds),
  ),
  bind(contract.getWebhookStatistics, (context, input) =>
    endpointStatistics(context, input.params.endpoint_id),
  ),

  bind(log.testWebhook, (context, input) => sendTest(context, input.params.endpoint_id)),
  bind(log.listWebhookDeliveries, (context, input) =>
    listDeliveries(context, input.params.endpoint_id, input.query),
  ),
  bind(log.getWebhookDelivery, (context, input) =>
    readDelivery(context, input.params.endpoint_id, input.params.delivery_id),
  ),
  bind(log.listWebhookAttempts, (context, input) =>
    listAttempts(context, input.params.endpoint_id, input.params.delivery_id, input.query),
  ),
  bind(log.sendWebhookDeliveryNow, (context, input) =>
    sendNow(context, input.params.endpoint_id, input.params.delivery_id),
  ),
  bind(log.replayWebhookDelivery, (context, input) =>
    replayOne(context, input.params.endpoint_id, input.params.delivery_id),
  ),
  bind(log.replayWebhookDeliveries, (context, input) =>
    replayMany(context, input.params.endpoint_id, input.body),
  ),
];
