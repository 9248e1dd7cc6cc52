import { createHmac, timingSafeEqual } from "node:crypto";
import { CountersignError } from "./errors.ts";

export interface WebhookEvent<Data = Readonly<Record<string, unknown>>> {
  /** The same for every delivery of the event: store it, and process the event only once. */
  readonly id: string;
  readonly type: string;
  /** When the event occurred. */
  readonly timestamp: Date;
  readonly data: Data;
}

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
  /** The endpoint's secret, `whsec_…`; during a rotation the old and the new one. */
  readonly secret: string | readonly string[] | undefined;
  /** Defaults to 300. */
  readonly toleranceSeconds?: number | undefined;
  /** For tests. */
  readonly nowMs?: (() => number) | undefined;
}

type RequestHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Verifies a delivery and returns its event. `body` is the raw request body: bytes, or a string that was not parsed.
 */
export function verifyWebhook(
  body: Uint8Array | string,
  headers: RequestHeaders,
  options: WebhookOptions,
): WebhookEvent {
  if (typeof body !== "string" && !(body instanceof Uint8Array)) {
    throw new WebhookError(
      "parsed_body",
      'The body was parsed before its signature was checked. Pass the raw bytes: in Express use express.raw({ type: "application/json" }) on this route, before any express.json().',
    );
  }
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
  const secrets = typeof options.secret === "string" ? [options.secret] : (options.secret ?? []);
  // With an empty secret, anyone could sign a delivery.
  if (
    secrets.length === 0 ||
    secrets.some((secret) => typeof secret !== "string" || hmacKey(secret).length === 0)
  )
    throw new TypeError("secret must be the endpoint's secret (whsec_…), as shown in the dashboard.");
  const claimed = signatures
    .split(" ")
    .map((one) => one.split(","))
    .filter(([version]) => version === "v1")
    .map(([, code]) => Buffer.from(code ?? "", "base64"));
  const isValid = secrets.map(hmacKey).some((key) => {
    const expected = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
    return claimed.some((code) => code.length === expected.length && timingSafeEqual(code, expected));
  });
  if (!isValid)
    throw new WebhookError(
      "mismatch",
      "The signature does not match. Check the secret, and pass the raw body.",
    );
  return readEvent(id, body);
}

function readEvent(id: string, body: Uint8Array | string): WebhookEvent {
  try {
    const text = typeof body === "string" ? body : new TextDecoder().decode(body);
    const { type, timestamp, data } = JSON.parse(text);
    if (typeof type === "string") return { id, type, timestamp: new Date(timestamp), data };
  } catch {
    // The error below reports it.
  }
  throw new WebhookError("malformed", "The body is signed but is not a webhook event.");
}

function header(headers: RequestHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : (headers[name] ?? null);
  const text = typeof value === "string" ? value : (value?.[0] ?? "");
  if (text === "") throw new WebhookError("missing_header", `The request has no ${name} header.`);
  return text;
}

function hmacKey(secret: string): Uint8Array {
  return Buffer.from(secret.replace(/^whsec_/, ""), "base64");
}
