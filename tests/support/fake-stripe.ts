import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import Stripe from "stripe";
import type { StripeSettings } from "../../apps/server/config.ts";
import { stripeMock } from "./stripe-mock.ts";

/** What a test changes in a subscription. */
export interface FakeSubscription {
  id: string;
  status: string;
  price: string;
  product: string;
  interval: "month" | "year";
  amount: number;
  created: number;
  periodEnd: number;
  cancelAtPeriodEnd: boolean;
  trialEnd: number | null;
}

export interface FakeCustomer {
  readonly id: string;
  readonly organizationId: string;
  /** As Stripe deletes one: it can still be read, and nothing else. */
  isDeleted: boolean;
  readonly subscriptions: FakeSubscription[];
}

export interface FakeCall {
  readonly method: string;
  readonly path: string;
  readonly params: URLSearchParams;
}

/**
 * A fake Stripe, which remembers what Stripe's own test server does not: customers, subscriptions, prices and open
 * payment pages. It answers reads from its memory. Every other call goes on to the test server, which checks it.
 */
export type FakeStripe = Awaited<ReturnType<typeof startFakeStripe>>;

interface Page {
  readonly id: string;
  readonly customer: string;
  status: "open" | "expired";
}

const unixSeconds = (ms: number) => Math.floor(ms / 1000);

export async function startFakeStripe() {
  const mock = await stripeMock();
  const customers = new Map<string, FakeCustomer>();
  const byKey = new Map<string, string>();
  const prices = new Map<string, { id: string; key: string; active: boolean }>();
  const products = new Set<string>();
  const pages = new Map<string, Page>();
  const configurations = new Set<string>();
  const calls: FakeCall[] = [];
  const held: { arrive(): void; released: Promise<void> }[] = [];
  let last = 0;
  const newId = (start: string) => `${start}_fake${String(++last).padStart(6, "0")}`;

  const server = createServer((request, response) => {
    answer(request, response).catch((error) => send(response, 500, { error: { message: String(error) } }));
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { method = "GET", url = "/", headers } = request;
    const { pathname: path, searchParams } = new URL(url, mock);
    const params = method === "GET" || method === "DELETE" ? searchParams : new URLSearchParams(body);
    const call = { method, path, params };
    calls.push(call);
    const failure = fake.fails?.(call) ?? null;
    if (failure !== null)
      return send(response, failure, { error: { type: "api_error", message: "It fails." } });
    // Every call is checked, also those that are answered from memory.
    const checked = await fetch(mock + url, {
      method,
      headers: picked(headers),
      ...(method === "GET" || method === "DELETE" ? {} : { body }),
    });
    const example = (await checked.json()) as Record<string, unknown>;
    if (checked.status !== 200) return send(response, checked.status, example);
    return route(call, headers, example, response);
  }

  async function route(
    { method, path, params }: FakeCall,
    headers: IncomingMessage["headers"],
    example: Record<string, unknown>,
    response: ServerResponse,
  ): Promise<void> {
    const ok = (value: unknown) => send(response, 200, value);
    const list = (data: unknown[]) => ok({ object: "list", data, has_more: false, url: path });
    const [, , kind = "", id = "", action = ""] = path.split("/");
    const customerId = params.get("customer");
    const customer = customerId === null ? undefined : customers.get(customerId);
    const isGone = customerId !== null && (customer === undefined || customer.isDeleted);
    if (isGone) return missing(response, "customer", customerId);
    switch (`${method} ${kind}`) {
      case "POST customers": {
        const key = String(headers["idempotency-key"]);
        const created = byKey.get(key) ?? newId("cus");
        if (!byKey.has(key)) {
          byKey.set(key, created);
          const organizationId = params.get("metadata[organization_id]") ?? "";
          customers.set(created, { id: created, organizationId, isDeleted: false, subscriptions: [] });
        }
        return ok({ ...example, id: created });
      }
      case "GET customers": {
        const found = customers.get(id);
        if (found === undefined) return missing(response, "id", id);
        return ok(found.isDeleted ? { id, object: "customer", deleted: true } : { ...example, id });
      }
      case "GET subscriptions": {
        // As it is when the read arrives, however long the answer then takes.
        const data = customer?.subscriptions.map((one) => shownSubscription(customer.id, one)) ?? [];
        const hold = held.shift();
        hold?.arrive();
        await hold?.released;
        return list(data);
      }
      case "DELETE subscriptions": {
        const found = [...customers.values()]
          .flatMap((one) => one.subscriptions.map((subscription) => ({ customer: one, subscription })))
          .find(({ subscription }) => subscription.id === id);
        if (found === undefined || found.subscription.status === "canceled")
          return missing(response, "id", id);
        found.subscription.status = "canceled";
        return ok(shownSubscription(found.customer.id, found.subscription));
      }
      case "GET prices": {
        const key = params.get("lookup_keys[0]");
        const found = [...prices.values()].filter((price) => price.key === key && price.active);
        return list(found.map((price) => ({ id: price.id, object: "price", lookup_key: price.key })));
      }
      case "POST prices": {
        const product = params.get("product") ?? "";
        if (!products.has(product)) return missing(response, "product", product);
        const created = newId("price");
        prices.set(created, { id: created, key: params.get("lookup_key") ?? "", active: true });
        return ok({ ...example, id: created });
      }
      case "POST products": {
        if (id !== "") return products.has(id) ? ok({ ...example, id }) : missing(response, "id", id);
        products.add(params.get("id") ?? "");
        return ok(example);
      }
      default:
        break;
    }
    if (path === "/v1/checkout/sessions" && method === "GET") {
      const open = [...pages.values()].filter(
        (page) => page.customer === customerId && page.status === "open",
      );
      return list(open);
    }
    if (path === "/v1/checkout/sessions") {
      const price = prices.get(params.get("line_items[0][price]") ?? "");
      if (price?.active !== true)
        return invalid(response, "line_items[0][price]", "The price specified is inactive.");
      const page: Page = { id: newId("cs_test"), customer: customerId ?? "", status: "open" };
      pages.set(page.id, page);
      return ok({ ...example, ...page, url: `https://checkout.stripe.test/${page.id}` });
    }
    if (kind === "checkout" && path.endsWith("/expire")) {
      const page = pages.get(action);
      if (page?.status !== "open") return invalid(response, "id", "Only open sessions can be expired.");
      page.status = "expired";
      return ok({ ...example, ...page });
    }
    const offered = [...params].filter(([name]) => /\[products\]\[\d+\]\[prices\]/.test(name));
    const archived = offered.find(([, price]) => prices.get(price)?.active !== true);
    if (path.startsWith("/v1/billing_portal/configurations") && archived !== undefined)
      return invalid(response, archived[0], "The price is not active.");
    if (path === "/v1/billing_portal/configurations") {
      const created = newId("bpc");
      configurations.add(created);
      return ok({ ...example, id: created });
    }
    if (path.startsWith("/v1/billing_portal/configurations/"))
      return configurations.has(action) ? ok({ ...example, id: action }) : missing(response, "id", action);
    if (path === "/v1/billing_portal/sessions") {
      const configuration = params.get("configuration") ?? "";
      if (!configurations.has(configuration)) return missing(response, "configuration", configuration);
      return ok({ ...example, url: `https://billing.stripe.test/${newId("bps")}` });
    }
    return ok(example);
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = {
    secretKey: "sk_test_4e1b7d",
    webhookSecret: "whsec_test_7f3a9c",
    url,
    mode: "test",
  } as const;
  const fake = {
    settings: settings as StripeSettings,
    /** The settings as environment variables of a server. */
    environment: {
      COUNTERSIGN_STRIPE_SECRET_KEY: settings.secretKey,
      COUNTERSIGN_STRIPE_WEBHOOK_SECRET: settings.webhookSecret,
      COUNTERSIGN_STRIPE_URL: url,
    },
    customers: customers as ReadonlyMap<string, FakeCustomer>,
    /** All calls so far. */
    calls: calls as readonly FakeCall[],
    /** The status that every call fails with, or only those for which it returns one. */
    fails: null as ((call: FakeCall) => number | null) | null,
    customerOf: (organizationId: string) => {
      const found = [...customers.values()].findLast((one) => one.organizationId === organizationId);
      if (found === undefined) throw new Error(`Stripe has no customer for ${organizationId}.`);
      return found;
    },
    /** Forgets a customer, as if it were in another account or mode. */
    forget: (customerId: string) => void customers.delete(customerId),
    archive: (priceId: string) => {
      const price = prices.get(priceId);
      if (price !== undefined) price.active = false;
    },
    openPages: (customerId: string) =>
      [...pages.values()].filter((page) => page.customer === customerId && page.status === "open").length,
    /** How often the subscriptions of a customer were read. */
    reads: ({ id }: FakeCustomer) =>
      calls.filter(
        ({ method, path, params }) =>
          method === "GET" && path === "/v1/subscriptions" && params.get("customer") === id,
      ).length,
    subscribe: (customer: FakeCustomer, changes: Partial<FakeSubscription> = {}) => {
      const nowMs = Date.now();
      const subscription: FakeSubscription = {
        id: newId("sub"),
        status: "active",
        price: "price_by_hand",
        product: "countersign_pro",
        interval: "month",
        amount: 2900,
        created: unixSeconds(nowMs) + customer.subscriptions.length,
        periodEnd: unixSeconds(nowMs) + 30 * 86_400,
        cancelAtPeriodEnd: false,
        trialEnd: null,
        ...changes,
      };
      customer.subscriptions.unshift(subscription);
      return subscription;
    },
    /**
     * Lets the next read of subscriptions wait with its answer, which is the state when it has `arrived`, until it is
     * released.
     */
    holdNextRead: () => {
      const arrived = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      held.push({ arrive: arrived.resolve, released: released.promise });
      return { arrived: arrived.promise, release: released.resolve };
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fake;
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response
    .writeHead(status, { "content-type": "application/json", "request-id": "req_fake" })
    .end(JSON.stringify(body));
}

function missing(response: ServerResponse, param: string, id: string): void {
  const message = `No such ${param}: '${id}'`;
  send(response, 404, { error: { type: "invalid_request_error", code: "resource_missing", param, message } });
}

function invalid(response: ServerResponse, param: string, message: string): void {
  send(response, 400, { error: { type: "invalid_request_error", param, message } });
}

function picked(headers: IncomingMessage["headers"]): Record<string, string> {
  const names = ["authorization", "content-type", "stripe-version", "idempotency-key"];
  return Object.fromEntries(names.flatMap((name) => (headers[name] ? [[name, String(headers[name])]] : [])));
}

function shownSubscription(customer: string, one: FakeSubscription): object {
  const { id, status, price, product, interval, amount, created, periodEnd, cancelAtPeriodEnd } = one;
  return {
    id,
    object: "subscription",
    status,
    customer,
    currency: "usd",
    created,
    cancel_at: cancelAtPeriodEnd ? periodEnd : null,
    cancel_at_period_end: cancelAtPeriodEnd,
    trial_end: one.trialEnd,
    items: {
      object: "list",
      data: [
        {
          id: `si_${id}`,
          object: "subscription_item",
          quantity: 1,
          current_period_end: periodEnd,
          price: { id: price, object: "price", product, unit_amount: amount, recurring: { interval } },
        },
      ],
      has_more: false,
    },
  };
}

const library = new Stripe("sk_test_unused");
let events = 0;

export interface FakeEvent {
  readonly id: string;
  readonly type: string;
  readonly [member: string]: unknown;
}

/** An event as Stripe sends it. What it says about the subscription is deliberately wrong: nobody may believe it. */
export function stripeEvent(type: string, customerId: string | null, members: object = {}): FakeEvent {
  return {
    id: `evt_fake_${process.pid}_${++events}_${Date.now()}`,
    object: "event",
    type,
    livemode: false,
    created: unixSeconds(Date.now()),
    data: { object: { id: "obj_1", object: "any", customer: customerId, status: "not the status" } },
    ...members,
  };
}

/** Signed by Stripe's own library. */
export async function signature(payload: string, secret: string, signedAtMs = Date.now()): Promise<string> {
  return library.webhooks.generateTestHeaderStringAsync({
    payload,
    secret,
    timestamp: unixSeconds(signedAtMs),
  });
}
