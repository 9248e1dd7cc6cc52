import Stripe from "stripe";
import type { StripeSettings } from "../../apps/server/base/services.ts";
import { stripeMock } from "./stripe-mock.ts";

/** What a test changes in a subscription. */
export type FakeSubscription = ReturnType<typeof newSubscription>;

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

/** What an answer of the test server gets from memory. `id` is the one in the path. */
type Remembered = (params: URLSearchParams, id: string, idempotencyKey: string) => object | Promise<object>;

/**
 * A fake Stripe, which remembers what Stripe's own test server does not: customers, subscriptions, prices and open
 * payment pages. Every call goes on to the test server, which checks it. What is remembered replaces its examples.
 */
export type FakeStripe = Awaited<ReturnType<typeof startFakeStripe>>;

export async function startFakeStripe() {
  const mock = await stripeMock();
  const customers = new Map<string, FakeCustomer>();
  const byKey = new Map<string, string>();
  const prices = new Map<string, { id: string; key: string; active: boolean }>();
  const products = new Set<string>();
  const pages = new Map<string, { id: string; customer: string; status: "open" | "expired" }>();
  const configurations = new Set<string>();
  const calls: FakeCall[] = [];
  const held: { arrive(): void; released: Promise<void> }[] = [];
  let last = 0;
  const newId = (start: string) => `${start}_fake${String(++last).padStart(6, "0")}`;
  const list = (data: readonly object[]) => ({ data, has_more: false });
  const known = <Value>(value: Value | undefined, param: string, id: string): Value => {
    if (value === undefined) throw missing(param, id);
    return value;
  };
  const openPages = (customerId: string | null) =>
    [...pages.values()].filter(({ customer, status }) => customer === customerId && status === "open");
  const configuration: Remembered = (params, id) => {
    for (const [name, price] of params) {
      const isInactive = /\[products\]\[\d+\]\[prices\]/.test(name) && prices.get(price)?.active !== true;
      if (isInactive) throw invalid(name, "The price is not active.");
    }
    if (id !== "" && !configurations.has(id)) throw missing("id", id);
    const written = id === "" ? newId("bpc") : id;
    configurations.add(written);
    return { id: written };
  };

  const remembered: Readonly<Record<string, Remembered>> = {
    "POST customers": (params, _, key) => {
      const organizationId = params.get("metadata[organization_id]") ?? "";
      const id = byKey.get(key) ?? newId("cus");
      if (!byKey.has(key)) customers.set(id, { id, organizationId, isDeleted: false, subscriptions: [] });
      byKey.set(key, id);
      return { id };
    },
    "GET customers/{id}": (_, id) => ({ id, deleted: known(customers.get(id), "id", id).isDeleted }),
    "GET subscriptions": async (params) => {
      // As it is when the read arrives, however long the answer then takes.
      const customer = customers.get(params.get("customer") ?? "");
      const data = customer?.subscriptions.map(shownSubscription) ?? [];
      const hold = held.shift();
      hold?.arrive();
      await hold?.released;
      return list(data);
    },
    "DELETE subscriptions/{id}": (_, id) => {
      const all = [...customers.values()].flatMap(({ subscriptions }) => subscriptions);
      const open = all.find((one) => one.id === id && one.status !== "canceled");
      const subscription = known(open, "id", id);
      subscription.status = "canceled";
      return shownSubscription(subscription);
    },
    "GET prices": (params) => {
      const found = [...prices.values()].filter(
        ({ key, active }) => key === params.get("lookup_keys[0]") && active,
      );
      return list(found.map(({ id, key }) => ({ id, object: "price", lookup_key: key })));
    },
    "POST prices": (params) => {
      const product = params.get("product") ?? "";
      if (!products.has(product)) throw missing("product", product);
      const id = newId("price");
      prices.set(id, { id, key: params.get("lookup_key") ?? "", active: true });
      return { id };
    },
    "POST products": (params) => {
      products.add(params.get("id") ?? "");
      return {};
    },
    "POST products/{id}": (_, id) => {
      if (!products.has(id)) throw missing("id", id);
      return { id };
    },
    "GET checkout/sessions": (params) => list(openPages(params.get("customer"))),
    "POST checkout/sessions": (params) => {
      const price = "line_items[0][price]";
      if (prices.get(params.get(price) ?? "")?.active !== true)
        throw invalid(price, "The price specified is inactive.");
      const id = newId("cs_test");
      const page = { id, customer: params.get("customer") ?? "", status: "open" } as const;
      pages.set(id, page);
      return { ...page, url: `https://checkout.stripe.test/${id}` };
    },
    "POST checkout/sessions/{id}/expire": (_, id) => {
      const page = pages.get(id);
      if (page?.status !== "open") throw invalid("id", "Only open sessions can be expired.");
      page.status = "expired";
      return page;
    },
    "POST billing_portal/configurations": configuration,
    "POST billing_portal/configurations/{id}": configuration,
    "POST billing_portal/sessions": (params) => {
      const used = params.get("configuration") ?? "";
      if (!configurations.has(used)) throw missing("configuration", used);
      return { url: `https://billing.stripe.test/${newId("bps")}` };
    },
  };

  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => answer(request).then(Response.json).catch(refusalOf),
  });

  async function answer(request: Request): Promise<object> {
    const { method, headers } = request;
    const { pathname: path, search, searchParams } = new URL(request.url);
    const body = method === "POST" ? await request.text() : null;
    const call = { method, path, params: body === null ? searchParams : new URLSearchParams(body) };
    calls.push(call);
    const failure = fake.fails?.(call) ?? null;
    if (failure !== null) throw refusal(failure, { type: "api_error", message: "It fails." });
    // Every call is checked, also those that are answered from memory.
    const names = ["authorization", "content-type", "stripe-version", "idempotency-key"];
    const sent = [...headers].filter(([name]) => names.includes(name));
    const checked = await fetch(mock + path + search, { method, headers: sent, body });
    if (checked.status !== 200) throw checked;
    const example = (await checked.json()) as object;
    const customer = call.params.get("customer");
    if (customer !== null && customers.get(customer)?.isDeleted !== false)
      throw missing("customer", customer);
    const parts = /^\/v1\/((?:billing_portal\/|checkout\/)?\w+)(?:\/(\w+)(\/expire)?)?$/.exec(path);
    const [, kind = "", id = "", action = ""] = parts ?? [];
    const answering = remembered[`${method} ${kind}${id === "" ? "" : "/{id}"}${action}`];
    return { ...example, ...(await answering?.(call.params, id, headers.get("idempotency-key") ?? "")) };
  }

  const url = `http://127.0.0.1:${server.port}`;
  const settings: StripeSettings = {
    secretKey: "sk_test_4e1b7d",
    webhookSecret: "whsec_test_7f3a9c",
    url,
    mode: "test",
  };
  const fake = {
    settings,
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
    openPages: (customerId: string) => openPages(customerId).length,
    /** How often the subscriptions of a customer were read. */
    reads: ({ id }: FakeCustomer) => {
      const reads = calls.filter(({ method, path }) => method === "GET" && path === "/v1/subscriptions");
      return reads.filter(({ params }) => params.get("customer") === id).length;
    },
    subscribe: (customer: FakeCustomer, changes: Partial<FakeSubscription> = {}) => {
      const added = newSubscription(newId("sub"), customer.subscriptions.length);
      const subscription: FakeSubscription = { ...added, ...changes };
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
    close: () => server.stop(true),
  };
  return fake;
}

function refusal(status: number, error: object): Response {
  return Response.json({ error }, { status, headers: { "request-id": "req_fake" } });
}

function missing(param: string, id: string): Response {
  const about = { param, message: `No such ${param}: '${id}'` };
  return refusal(404, { type: "invalid_request_error", code: "resource_missing", ...about });
}

function invalid(param: string, message: string): Response {
  return refusal(400, { type: "invalid_request_error", param, message });
}

/** The answer to a call that threw: an error of Stripe, or one of this file. */
function refusalOf(thrown: unknown): Response {
  return thrown instanceof Response ? thrown : refusal(500, { message: String(thrown) });
}

function newSubscription(id: string, index: number) {
  const nowSeconds = unixSeconds(Date.now());
  return {
    id,
    status: "active",
    product: "countersign_pro",
    interval: "month" as "month" | "year",
    amount: 2900,
    created: nowSeconds + index,
    periodEnd: nowSeconds + 30 * 86_400,
    cancelAtPeriodEnd: false,
    trialEnd: null as number | null,
  };
}

function shownSubscription(one: FakeSubscription): object {
  const { id, status, product, interval, amount, created, periodEnd, cancelAtPeriodEnd } = one;
  const price = { id: "price_by_hand", product, unit_amount: amount, recurring: { interval } };
  return {
    id,
    object: "subscription",
    status,
    currency: "usd",
    created,
    cancel_at: cancelAtPeriodEnd ? periodEnd : null,
    cancel_at_period_end: cancelAtPeriodEnd,
    trial_end: one.trialEnd,
    items: { object: "list", data: [{ quantity: 1, current_period_end: periodEnd, price }] },
  };
}

function unixSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}

const library = new Stripe("sk_test_unused");
let events = 0;

export type FakeEvent = ReturnType<typeof stripeEvent>;

/** An event as Stripe sends it. What it says about the subscription is deliberately wrong: nobody may believe it. */
export function stripeEvent(type: string, customerId: string | null, members: object = {}) {
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
  const timestamp = unixSeconds(signedAtMs);
  return library.webhooks.generateTestHeaderStringAsync({ payload, secret, timestamp });
}
