import { webhookKey } from "@countersign/domain/webhooks/secret";
import { webhookId, webhookSignature } from "@countersign/domain/webhooks/signature";
import type { SendingEndpoint, SentEvent } from "@countersign/store/queries/claim-deliveries";
import type { Sealer } from "@countersign/store/sealer";
import { release } from "../../release.ts";
import { bodyOf } from "./body.ts";
import { openHeaders } from "./secrets.ts";
import type { Answer, Outgoing } from "./send.ts";

export interface Addressee extends SendingEndpoint {
  readonly sealedSecrets: readonly string[];
}

/** A request as it is sent, and its headers as they are logged. */
export interface Envelope extends Outgoing {
  readonly loggedHeaders: Readonly<Record<string, string>>;
}

/** How an event was sent: what came of it, how long that took, and the headers as they are logged. */
export interface Sent {
  readonly answer: Answer;
  readonly durationMs: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** What cannot even be put into words is an attempt that failed, and is seen in the log of attempts. */
export async function sendEvent(
  event: SentEvent | undefined,
  endpoint: Addressee,
  sealer: Sealer,
  nowMs: number,
  send: (envelope: Envelope) => Promise<Answer>,
): Promise<Sent> {
  const startedMs = performance.now();
  let envelope: Envelope;
  try {
    envelope = envelopeOf(event, endpoint, sealer, nowMs);
  } catch {
    const problem =
      "The event could not be made ready to be sent. The server's operator should look into it.";
    return { answer: { status: null, body: null, problem }, durationMs: 0, headers: {} };
  }
  const answer = await send(envelope);
  return { answer, durationMs: performance.now() - startedMs, headers: envelope.loggedHeaders };
}

/** Throws when the event is forgotten, or something sealed cannot be opened. */
export function envelopeOf(
  event: SentEvent | undefined,
  endpoint: Addressee,
  sealer: Sealer,
  nowMs: number,
): Envelope {
  if (event === undefined) throw new Error("The event of a delivery is not there.");
  const body = bodyOf(event, endpoint.format);
  const id = webhookId(event.id);
  const timestampSeconds = Math.floor(nowMs / 1000);
  const keys = endpoint.sealedSecrets.flatMap(
    (sealed) => webhookKey(Buffer.from(sealer.open(sealed)).toString()) ?? [],
  );
  const standard = {
    "content-type": "application/json",
    "user-agent": `Countersign-Webhooks/${release}`,
    "webhook-id": id,
    "webhook-timestamp": String(timestampSeconds),
    ...(keys.length === 0
      ? {}
      : { "webhook-signature": webhookSignature({ id, timestampSeconds, body }, keys) }),
  };
  const own = [...openHeaders(sealer, endpoint.sealed_headers)];
  return {
    url: endpoint.url,
    body,
    // What says who sends and what is signed comes last: a header of the seller's own cannot stand in for it.
    headers: { ...Object.fromEntries(own), ...standard },
    loggedHeaders: { ...Object.fromEntries(own.map(([name]) => [name, hidden])), ...standard },
  };
}

const hidden = "…";
