import { stripeEventLimit } from "@countersign/contract/openapi/stripe-webhook";
import {
  organizationsOfCustomer,
  recordStripeEvent,
  wasProcessed,
} from "@countersign/store/queries/billing/stripe";
import { ConcurrencyLimit } from "@countersign/store/threads/concurrency-limit";
import type Stripe from "stripe";
import { bodyBounds, boundedBody, closeConnection } from "../../api/bounded-body.ts";
import { inBursts, type Log } from "../../base/log.ts";
import { Problem, problemOf, problemResponse } from "../../http/problem.ts";
import { whileWaiting } from "../../limits/waiting.ts";
import { askStripe, stripeClient } from "./stripe.ts";
import { type PaymentParts, syncOrganization } from "./sync.ts";

/** Each asks Stripe for a subscription. */
const maxAtOnce = 50;
/** Stripe sends an event again after a failure, so this does not have to. */
const once: Stripe.RequestOptions = { maxNetworkRetries: 0 };
const requestTimeoutSeconds = 15;
const warnEveryMs = 60_000;

/**
 * Receives Stripe's events. An event only says whose subscription to fetch. It is recorded once that was done, so one
 * that arrives again does nothing, and one that failed is tried again when Stripe repeats it.
 */
export class StripeWebhook {
  readonly #parts: PaymentParts;
  readonly #log: Log;
  readonly #limit = new ConcurrencyLimit(maxAtOnce);
  #inUse = 0;
  #busy = 0;
  readonly #refused: (amount: number, reason: string) => void;

  constructor(parts: PaymentParts, log: Log) {
    this.#parts = parts;
    this.#log = log;
    this.#refused = inBursts(warnEveryMs, (count, reason) =>
      log.warn("An event was refused because Stripe's signature is missing or wrong.", { count, reason }),
    );
  }

  get use() {
    return { inUse: this.#inUse, limit: maxAtOnce, refused: this.#busy };
  }

  async handle(request: Request, requestId: string): Promise<Response> {
    try {
      await this.#receive(request, requestId);
      return new Response(JSON.stringify({ received: true }), {
        headers: {
          "content-type": "application/json; charset=utf-8",
          "cache-control": "no-store",
          "x-request-id": requestId,
        },
      });
    } catch (error) {
      return problemResponse(problemOf(error, this.#log, requestId), requestId);
    }
  }

  async #receive(request: Request, requestId: string): Promise<void> {
    if (request.method !== "POST") throw wrongMethod(request.method);
    const event = await this.#verified(request);
    if (event === null) return;
    // Only Stripe's own count: a body that never arrives, or that someone else has sent, keeps no event out.
    if (!this.#limit.tryAcquire()) {
      this.#busy += 1;
      throw busy();
    }
    this.#inUse += 1;
    try {
      await whileWaiting(request, requestTimeoutSeconds, () => this.#process(event, requestId));
    } finally {
      this.#inUse -= 1;
      this.#limit.release();
    }
  }

  /** Nothing is parsed before the signature is verified. Without one, the body is not even read. */
  async #verified(request: Request): Promise<StripeEvent | null> {
    const signature = request.headers.get("stripe-signature") ?? "";
    if (!/\bt=\d/.test(signature) || !/\bv1=\w/.test(signature))
      throw this.#unsigned("There is no signature.", closeConnection);
    const body = await wholeBody(request);
    const stripe = await stripeClient(this.#parts.settings);
    const { webhookSecret } = this.#parts.settings;
    const nowMs = await this.#parts.store.clock();
    try {
      // Its age is that by the database's clock, which all nodes share.
      return readEvent(
        await stripe.webhooks.constructEventAsync(
          body,
          signature,
          webhookSecret,
          undefined,
          undefined,
          nowMs,
        ),
      );
    } catch (error) {
      if (error instanceof SyntaxError) throw new Problem("malformed_json");
      throw this.#unsigned(firstLine(error), {});
    }
  }

  #unsigned(reason: string, headers: Readonly<Record<string, string>>): Problem {
    this.#refused(1, reason);
    return new Problem("invalid_stripe_signature", {}, { headers });
  }

  async #process({ id: eventId, type, customerId }: StripeEvent, requestId: string): Promise<void> {
    const { store } = this.#parts;
    if (await wasProcessed(store.reads, eventId)) return;
    const ofCustomer = customerId === null ? [] : await organizationsOfCustomer(store.reads, customerId);
    const organizations = ofCustomer.filter(({ deleted_at }) => deleted_at === null);
    for (const { id } of organizations) await this.#sync(id, requestId);
    const nowMs = await store.clock();
    await store.transaction((db) =>
      recordStripeEvent(db, {
        id: eventId,
        type,
        organization_id: ofCustomer[0]?.id ?? null,
        received_at: nowMs,
      }),
    );
  }

  async #sync(organizationId: string, requestId: string): Promise<void> {
    try {
      await askStripe({ log: this.#log, requestId }, () =>
        syncOrganization(this.#parts, organizationId, once),
      );
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== "payment_provider_failed") throw error;
      throw new Problem("event_not_processed", {}, { headers: { "retry-after": "60" } });
    }
  }
}

async function wholeBody(request: Request): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of boundedBody(request, bodyBounds(stripeEventLimit.bytes))) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** The library's messages continue with advice for developers. */
function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n")[0]?.slice(0, 200) ?? "";
}

function wrongMethod(method: string): Problem {
  return new Problem("method_not_allowed", { allowed: "POST", method }, { headers: { allow: "POST" } });
}

function busy(): Problem {
  return new Problem("server_busy", {}, { headers: { "retry-after": "1", ...closeConnection } });
}

/** What is used of an event: the subscription itself is fetched. */
interface StripeEvent {
  readonly id: string;
  readonly type: string;
  /** Whose subscription to fetch; null for none. */
  readonly customerId: string | null;
}

/** The events that can change what an organization has paid for. Others are recorded and ignored. */
const concerning = ["customer.subscription.", "invoice.", "checkout.session.", "customer.deleted"];

/** Null for anything but an event. */
export function readEvent(value: unknown): StripeEvent | null {
  const { id, type, account, data } = membersOf(value);
  if (!isName(id) || !isName(type)) return null;
  // An account that is given is another one, on whose behalf this one acts.
  const isOurs = account === undefined || account === null;
  const concerns = isOurs && concerning.some((start) => type.startsWith(start));
  return { id, type, customerId: concerns ? customerOf(membersOf(data).object) : null };
}

function customerOf(about: unknown): string | null {
  const { object, customer } = membersOf(about);
  return object === "customer" ? idOf(about) : idOf(customer);
}

/** Stripe sends an object or only its ID. */
function idOf(value: unknown): string | null {
  const id = typeof value === "string" ? value : membersOf(value).id;
  return isName(id) ? id : null;
}

function isName(value: unknown): value is string {
  return typeof value === "string" && /^[\w.-]{1,255}$/.test(value);
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
