import { failure } from "@countersign/contract/problems/failures";
import { webhookId, webhookKey, webhookSignature } from "@countersign/domain/webhooks/signature";
import type { SendingEndpoint, SentEvent } from "@countersign/store/queries/webhooks/claim-deliveries";
import type { Sealer } from "@countersign/store/secrets/sealer";
import { release } from "../../base/release.ts";
import { bodyOf } from "./body.ts";
import { openHeaders } from "./secrets.ts";
import type { Answer, Outgoing } from "./send.ts";

export interface DeliveryRecipient extends SendingEndpoint {
  readonly sealedSecrets: readonly string[];
}

/** A request as it is sent, and its headers as they are logged. */
interface DeliveryRequest extends Outgoing {
  readonly loggedHeaders: Readonly<Record<string, string>>;
}

/** The result of sending an event: the outcome, its duration, and the headers as they are logged. */
export interface Sent {
  readonly answer: Answer;
  readonly durationMs: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** A request that cannot even be built is a failed attempt, and appears in the log of attempts. */
export async function sendEvent(
  event: SentEvent | undefined,
  endpoint: DeliveryRecipient,
  sealer: Sealer,
  nowMs: number,
  send: (request: DeliveryRequest) => Promise<Answer>,
): Promise<Sent> {
  const startedMs = performance.now();
  let request: DeliveryRequest;
  try {
    request = deliveryRequest(event, endpoint, sealer, nowMs);
  } catch {
    const answer = { status: null, body: null, failure: failure("webhook_request_not_built") };
    return { answer, durationMs: 0, headers: {} };
  }
  const answer = await send(request);
  return { answer, durationMs: performance.now() - startedMs, headers: request.loggedHeaders };
}

/** Throws if the event was pruned, or something encrypted cannot be decrypted. */
function deliveryRequest(
  event: SentEvent | undefined,
  endpoint: DeliveryRecipient,
  sealer: Sealer,
  nowMs: number,
): DeliveryRequest {
  if (event === undefined) throw new Error("The event of a delivery does not exist.");
  const body = bodyOf(event, endpoint.format);
  const id = webhookId(event.id);
  const timestampSeconds = Math.floor(nowMs / 1000);
  const { url, keys, own } = opened(endpoint, sealer);
  const standard = {
    "content-type": "application/json",
    "user-agent": `Countersign-Webhooks/${release}`,
    "webhook-id": id,
    "webhook-timestamp": String(timestampSeconds),
    ...(keys.length === 0
      ? {}
      : { "webhook-signature": webhookSignature({ id, timestampSeconds, body }, keys) }),
  };
  return {
    url,
    body,
    // Headers for identity and signature come last: a custom header cannot override them.
    headers: { ...Object.fromEntries(own), ...standard },
    loggedHeaders: { ...Object.fromEntries(own.map(([name]) => [name, hidden])), ...standard },
  };
}

const hidden = "…";

interface Opened {
  readonly url: string;
  readonly keys: readonly Uint8Array[];
  readonly own: readonly (readonly [string, string])[];
}

/** Secrets are decrypted once for all deliveries that are claimed together, and then discarded. */
const known = new WeakMap<DeliveryRecipient, Opened>();

function opened(endpoint: DeliveryRecipient, sealer: Sealer): Opened {
  const before = known.get(endpoint);
  if (before !== undefined) return before;
  const open = (sealed: string) => Buffer.from(sealer.open(sealed)).toString();
  const now = {
    url: open(endpoint.sealed_url),
    keys: endpoint.sealedSecrets.flatMap((sealed) => webhookKey(open(sealed)) ?? []),
    own: [...openHeaders(sealer, endpoint.sealed_headers)],
  };
  known.set(endpoint, now);
  return now;
}
