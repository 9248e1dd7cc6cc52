import { randomBytes } from "node:crypto";
import { failure } from "@countersign/contract/problems/failures";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { discordMessage, slackMessage } from "@countersign/domain/webhooks/formats";
import {
  generateWebhookSecret,
  webhookId,
  webhookKey,
  webhookSignature,
} from "@countersign/domain/webhooks/signature";
import type { SendingEndpoint, SentEvent } from "@countersign/store/queries/webhooks/claim-deliveries";
import type { Sealer } from "@countersign/store/secrets/sealer";
import type { WebhookEndpointRow } from "@countersign/store/tables/events";

import { release } from "../../../base/release.ts";
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
  const { url, keys, customHeaders } = opened(endpoint, sealer);
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
    headers: { ...Object.fromEntries(customHeaders), ...standard },
    loggedHeaders: { ...Object.fromEntries(customHeaders.map(([name]) => [name, hidden])), ...standard },
  };
}

const hidden = "…";

interface Opened {
  readonly url: string;
  readonly keys: readonly Uint8Array[];
  readonly customHeaders: readonly (readonly [string, string])[];
}

/** Secrets are decrypted once for all deliveries that are claimed together, and then discarded. */
const openedRecipients = new WeakMap<DeliveryRecipient, Opened>();

function opened(endpoint: DeliveryRecipient, sealer: Sealer): Opened {
  const before = openedRecipients.get(endpoint);
  if (before !== undefined) return before;
  const open = (sealed: string) => Buffer.from(sealer.open(sealed)).toString();
  const now = {
    url: open(endpoint.sealed_url),
    keys: endpoint.sealedSecrets.flatMap((sealed) => webhookKey(open(sealed)) ?? []),
    customHeaders: [...openHeaders(sealer, endpoint.sealed_headers)],
  };
  openedRecipients.set(endpoint, now);
  return now;
}

export const maxBodyBytes = 20 * 1024;

/** The body of an event: the same bytes on every attempt. */
export function bodyOf(event: SentEvent, format: WebhookEndpointRow["format"]): string {
  const recorded = { type: event.type, atMs: event.at };
  switch (format) {
    case "standard":
      return standardBody(event);
    case "discord":
      return JSON.stringify(discordMessage({ ...recorded, data: JSON.parse(event.data) }));
    case "slack":
      return JSON.stringify(slackMessage({ ...recorded, data: JSON.parse(event.data) }));
  }
}

/**
 * If it is too large, it is sent without the free-form fields of the license, then without the license and the previous
 * values. Everything else an event can have is limited to less, so the last form always fits.
 */
function standardBody(event: SentEvent): string {
  const full = withData(event, event.data);
  if (fits(full)) return full;
  const { license, ...rest }: Record<string, unknown> = JSON.parse(event.data);
  if (license !== undefined) {
    const short = withData(event, JSON.stringify({ ...rest, license: shortened(license), truncated: true }));
    if (fits(short)) return short;
  }
  const { previous: _, ...required } = rest;
  return withData(event, JSON.stringify({ ...required, truncated: true }));
}

function withData(event: SentEvent, data: string): string {
  const timestamp = isoTime(event.at);
  return `{"type":${JSON.stringify(event.type)},"timestamp":"${timestamp}","data":${data}}`;
}

function shortened(license: unknown): unknown {
  if (typeof license !== "object" || license === null) return license;
  return Object.fromEntries(Object.entries(license).filter(([name]) => !omittedFields.has(name)));
}

const omittedFields = new Set(["metadata", "notes", "custom_override"]);

function fits(body: string): boolean {
  return Buffer.byteLength(body) <= maxBodyBytes;
}

/** A secret is encrypted in the form in which it is shown. */
export function newWebhookSecret(sealer: Sealer): { secret: string; sealed: string } {
  const secret = generateWebhookSecret(randomBytes);
  return { secret, sealed: sealer.seal(Buffer.from(secret)) };
}

/** Custom headers, by their names in lower case. */
type CustomHeaders = ReadonlyMap<string, string>;

export function sealHeaders(sealer: Sealer, headers: CustomHeaders): string | null {
  if (headers.size === 0) return null;
  return sealer.seal(Buffer.from(JSON.stringify(Object.fromEntries(headers))));
}

export function openHeaders(sealer: Sealer, sealed: string | null): CustomHeaders {
  if (sealed === null) return new Map();
  const headers: Record<string, string> = JSON.parse(Buffer.from(sealer.open(sealed)).toString());
  return new Map(Object.entries(headers));
}
