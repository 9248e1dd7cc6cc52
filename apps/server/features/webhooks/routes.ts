import * as log from "@countersign/contract/manage/webhook-deliveries";
import * as contract from "@countersign/contract/manage/webhooks";
import { type BoundRoute, bind, type Input, param } from "../../api/bind.ts";
import { listAttempts, listDeliveries, readDelivery } from "./attempts.ts";
import { deleteEndpoint, disableEndpoint, enableEndpoint, rotateSecret } from "./endpoint-actions.ts";
import { changeEndpoint, createEndpoint, findEndpoint, listEndpoints } from "./endpoints.ts";
import { replayMany } from "./replay.ts";
import { replayOne, sendTest } from "./replay-one.ts";
import { sendNow } from "./send-now.ts";
import { showEndpoint } from "./show.ts";
import { endpointStatistics } from "./statistics.ts";

export const webhookRoutes: readonly BoundRoute[] = [
  bind(contract.listWebhooks, (context, { query }) => listEndpoints(context, query)),
  bind(contract.createWebhook, (context, { body }) => createEndpoint(context, body)),
  bind(contract.getWebhook, async (context, input) => {
    const db = context.store.reads;
    return showEndpoint(db, context, await findEndpoint(db, context, endpointId(input)));
  }),
  bind(contract.updateWebhook, (context, input) => changeEndpoint(context, endpointId(input), input.body)),
  bind(contract.deleteWebhook, (context, input) => deleteEndpoint(context, endpointId(input))),
  bind(contract.disableWebhook, (context, input) => disableEndpoint(context, endpointId(input))),
  bind(contract.enableWebhook, (context, input) => enableEndpoint(context, endpointId(input))),
  bind(contract.rotateWebhookSecret, (context, input) =>
    rotateSecret(context, endpointId(input), input.body.overlap_seconds),
  ),
  bind(contract.getWebhookStatistics, (context, input) => endpointStatistics(context, endpointId(input))),

  bind(log.testWebhook, (context, input) => sendTest(context, endpointId(input))),
  bind(log.listWebhookDeliveries, (context, input) =>
    listDeliveries(context, endpointId(input), input.query),
  ),
  bind(log.getWebhookDelivery, (context, input) =>
    readDelivery(context, endpointId(input), deliveryId(input)),
  ),
  bind(log.listWebhookAttempts, (context, input) =>
    listAttempts(context, endpointId(input), deliveryId(input), input.query),
  ),
  bind(log.sendWebhookDeliveryNow, (context, input) =>
    sendNow(context, endpointId(input), deliveryId(input)),
  ),
  bind(log.replayWebhookDelivery, (context, input) =>
    replayOne(context, endpointId(input), deliveryId(input)),
  ),
  bind(log.replayWebhookDeliveries, (context, input) => replayMany(context, endpointId(input), input.body)),
];

type AnyInput = Input<unknown, unknown>;

function endpointId(input: AnyInput): string {
  return param(input, "endpoint_id");
}

function deliveryId(input: AnyInput): string {
  return param(input, "delivery_id");
}
