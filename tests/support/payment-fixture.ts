import { stripeWebhookPath } from "@countersign/contract/stripe-webhook";
import { billingOf } from "@countersign/store/queries/billing/billing";
import { apiOf } from "./api.ts";
import type { TestDatabase } from "./databases.ts";
import { type FakeEvent, signature, startFakeStripe } from "./fake-stripe.ts";
import { openManageFixture } from "./manage-fixture.ts";
import { storedRow } from "./stored-rows.ts";

/** A new organization on Free, with a license that is valid. */
export type Payer = Awaited<ReturnType<Awaited<ReturnType<typeof openPaymentFixture>>["payer"]>>;

interface Delivered {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  readonly body: any;
}

/** A server that takes payments with a fake Stripe. */
export async function openPaymentFixture(make: () => Promise<TestDatabase>) {
  const stripe = await startFakeStripe();
  const fixture = await openManageFixture(make, {
    why: "takes payments",
    environment: { COUNTERSIGN_DEFAULT_PLAN: "free", ...stripe.environment },
  });
  const payer = async () => {
    const owner = await fixture.person();
    const { body: organization } = await owner.api.post("/organizations", { name: "Payer" });
    const path = `/organizations/${organization.id}`;
    const { body: product } = await owner.api.post(`${path}/products`, { name: "Tool" });
    const { body: license } = await owner.api.post(`/products/${product.id}/licenses`, {
      customer_email: "customer@example.com",
    });
    const api = apiOf(fixture.server.url, product.api_key);
    const id = String(organization.id);
    return {
      owner,
      id,
      slug: String(organization.slug),
      path,
      organization: () => storedRow(fixture.store.reads, "organizations", { id }),
      billing: () => billingOf(fixture.store.reads, id),
      /** The status that a validation of its license reports. */
      validated: async () => (await api.validate({ license_key: license.license_key })).body.status,
    };
  };
  return {
    ...fixture,
    stripe,
    payer,
    /** The same, with a customer in Stripe. */
    customer: async () => {
      const one = await payer();
      const order = { plan: "pro", interval: "month" };
      const { status, text } = await one.owner.api.post(`${one.path}/billing/checkout`, order);
      if (status !== 200) throw new Error(`There is no checkout: ${text}`);
      return { ...one, customer: stripe.customerOf(one.id) };
    },
    /** Sends an event as Stripe does. */
    deliver: async (event: FakeEvent) => {
      const payload = JSON.stringify(event);
      const header = await signature(payload, stripe.settings.webhookSecret);
      return sendEvent(fixture.server.url, payload, { "stripe-signature": header });
    },
    close: async () => {
      await fixture.close();
      await stripe.close();
    },
  };
}

/** Any bytes to where events arrive. */
export async function sendEvent(
  url: string,
  payload: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Delivered> {
  const response = await fetch(url + stripeWebhookPath, {
    method: "POST",
    body: payload,
    headers: { "content-type": "application/json", ...headers },
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}
