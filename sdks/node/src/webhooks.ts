import { base64, fromBase64, isEqual, textOf, utf8 } from "./bytes.ts";
import { CountersignError } from "./errors.ts";
import { dateOf, parsed } from "./json.ts";
import { hmacSha256 } from "./sha256.ts";
import type { WebhookEvent } from "./webhook-events.ts";
import { webhookKeys } from "./webhook-secret.ts";

export type WebhookProblem = "parsed_body" | "missing_header" | "stale" | "mismatch" | "malformed";

/** The request is not a delivery from Countersign, or cannot be verified. */
export class WebhookError extends CountersignError {
  override readonly name = "WebhookError";
  readonly reason: WebhookProblem;

  constructor(reason: WebhookProblem, message: string) {
    super(message);
    this.reason = reason;
  }
}

export interface WebhookOptions {
  /** The endpoint's secret, `whsec_…`; during a rotation the old and the new one, as a list or separated by a comma. */
  readonly secret: string | readonly string[] | undefined;
  /** Defaults to 300. */
  readonly toleranceSeconds?: number | undefined;
  /** For tests. */
  readonly nowMs?: (() => number) | undefined;
}

/** A request body that was not parsed. */
export type RawBody = string | Uint8Array | ArrayBuffer;

/** `Headers`, or the headers of a Node.js request. Names can be in any case. */
export type RequestHeaders =
  | { get(name: string): string | null; forEach(callback: (value: string, name: string) => void): void }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Verifies a delivery and returns its event. `body` is the raw request body: bytes, or a string that was not parsed.
 */
export function verifyWebhook(body: RawBody, headers: RequestHeaders, options: WebhookOptions): WebhookEvent {
  const bytes = bytesOf(body);
  if (bytes === null) {
    throw new WebhookError(
      "parsed_body",
      'The body was parsed before its signature was checked. Pass the raw bytes: in Express use express.raw({ type: "application/json" }) on this route, before any express.json().',
    );
  }
  const keys = webhookKeys(options.secret);
  const id = header(headers, "webhook-id");
  const timestamp = header(headers, "webhook-timestamp");
  const signatures = header(headers, "webhook-signature");
  const nowSeconds = (options.nowMs ?? Date.now)() / 1_000;
  const tolerance = options.toleranceSeconds ?? 300;
  if (!/^[0-9]{1,12}$/.test(timestamp) || Math.abs(nowSeconds - Number(timestamp)) > tolerance)
    throw new WebhookError(
      "stale",
      "The delivery's timestamp is too old, or in the future. Check that the clock is right.",
    );
  const claimed = signatures
    .split(" ")
    .filter((one) => one.startsWith(`${signatureVersion},`))
    .map((one) => fromBase64(one.slice(signatureVersion.length + 1)) ?? new Uint8Array());
  const isValid = keys.some((key) => {
    const expected = webhookCode(key, id, timestamp, bytes);
    return claimed.some((code) => isEqual(code, expected));
  });
  if (!isValid)
    throw new WebhookError(
      "mismatch",
      "The signature does not match. Check the secret, and pass the raw body.",
    );
  return readEvent(id, timestamp, bytes);
}

/** One signature in the `webhook-signature` header. */
export function webhookSignature(key: Uint8Array, id: string, timestamp: string, body: Uint8Array): string {
  return `${signatureVersion},${base64(webhookCode(key, id, timestamp, body))}`;
}

const signatureVersion = "v1";

function webhookCode(key: Uint8Array, id: string, timestamp: string, body: Uint8Array): Uint8Array {
  return hmacSha256(key, utf8(`${id}.${timestamp}.`), body);
}

/** Null for anything else, such as a parsed body. */
export function bytesOf(body: unknown): Uint8Array | null {
  if (typeof body === "string") return utf8(body);
  if (body instanceof Uint8Array) return body;
  return body instanceof ArrayBuffer ? new Uint8Array(body) : null;
}

function readEvent(id: string, sentAt: string, body: Uint8Array): WebhookEvent {
  const { type, timestamp, data } = parsed(textOf(body)) ?? {};
  // An event without a time was signed by a test.
  const occurredAt = timestamp ?? new Date(Number(sentAt) * 1_000).toISOString();
  const date = typeof occurredAt === "string" ? dateOf(occurredAt) : null;
  if (typeof type !== "string" || date === null)
    throw new WebhookError("malformed", "The body is signed but is not a webhook event.");
  // The contract gives the type of the data; unknown types are passed through.
  return { id, type, timestamp: date, data } as WebhookEvent;
}

function header(headers: RequestHeaders, name: string): string {
  const value = isHeaders(headers) ? headers.get(name) : valueIn(headers, name);
  const text = typeof value === "string" ? value : (value?.[0] ?? "");
  if (text === "") throw new WebhookError("missing_header", `The request has no ${name} header.`);
  return text;
}

/** Not `instanceof Headers`: frameworks have their own class. */
function isHeaders(headers: RequestHeaders): headers is Extract<RequestHeaders, { get: unknown }> {
  return typeof headers.get === "function";
}

function valueIn(headers: Exclude<RequestHeaders, { get: unknown }>, name: string) {
  return headers[name] ?? Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
}
