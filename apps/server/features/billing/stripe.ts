import type Stripe from "stripe";
import { type Log, reasonOf } from "../../base/log.ts";
import type { StripeSettings } from "../../base/services.ts";
import { Problem } from "../../http/problem.ts";

/** A call that takes longer is given up. Jobs wait this long; requests have a shorter limit for all their calls. */
const timeoutMs = 10_000;

const clients = new WeakMap<StripeSettings, Promise<Stripe>>();

/** Stripe's library, loaded on first use: a server that takes no payments never needs it. */
export function stripeClient(settings: StripeSettings): Promise<Stripe> {
  let client = clients.get(settings);
  if (client === undefined) {
    client = openClient(settings);
    clients.set(settings, client);
  }
  return client;
}

async function openClient({ secretKey, url }: StripeSettings): Promise<Stripe> {
  const { default: Library } = await import("stripe");
  const { hostname, port, protocol } = new URL(url);
  return new Library(secretKey, {
    host: hostname,
    ...(port === "" ? {} : { port }),
    protocol: protocol === "http:" ? "http" : "https",
    timeout: timeoutMs,
    maxNetworkRetries: 2,
    telemetry: false,
    appInfo: { name: "Countersign" },
  });
}

/** What Stripe's library throws. Checked by its shape, because the library is loaded on first use. */
interface StripeFailure extends Error {
  readonly type: string;
  readonly code?: string;
  readonly param?: string;
  readonly statusCode?: number;
  readonly requestId?: string;
}

export function isStripeFailure(error: unknown): error is StripeFailure {
  return error instanceof Error && "type" in error && /^Stripe\w*Error$/.test(String(error.type));
}

/** Whether the object, or the one that `param` names, does not exist in this account and mode. */
export function isMissing(error: unknown, param?: string): boolean {
  return (
    isStripeFailure(error) &&
    error.code === "resource_missing" &&
    (param === undefined || error.param === param)
  );
}

/** No response in time. */
class StripeIsSlow extends Error {
  override readonly name = "StripeIsSlow";
}

/** Before the connection of the caller, on which nothing arrives meanwhile, is closed. */
const requestTimeoutMs = 9_000;

/** Calls of Stripe that a request waits for. Their failure is logged, and the caller learns only that it failed. */
export async function askStripe<T>(
  { log, requestId }: { readonly log: Log; readonly requestId: string },
  work: () => Promise<T>,
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new StripeIsSlow(`No response within ${requestTimeoutMs} ms.`)),
      requestTimeoutMs,
    );
  });
  try {
    return await Promise.race([work(), late]);
  } catch (error) {
    if (!isStripeFailure(error) && !(error instanceof StripeIsSlow)) throw error;
    log.warn("A request to Stripe failed.", { request_id: requestId, reason: stripeReason(error) });
    throw new Problem("payment_provider_failed");
  } finally {
    clearTimeout(timer);
  }
}

const maxReasonLength = 500;

/** The reason for the log, without anything that could be a key, a secret or the number of a card. */
export function stripeReason(error: unknown): string {
  const text = isStripeFailure(error)
    ? [error.type, error.code, error.param, error.requestId, error.message].filter(Boolean).join(" ")
    : reasonOf(error);
  return text
    .replace(/\b(?:sk|rk|pk|whsec)_[\w*]+/g, "…")
    .replace(/\d(?:[ -]?\d){11,}/g, "…")
    .slice(0, maxReasonLength);
}
