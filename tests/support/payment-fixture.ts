import { stripeWebhookPath } from "@countersign/contract/stripe-webhook";
import { billingOf } from "@countersign/store/queries/billing/billing";
import { organizationById } from "@countersign/store/queries/manage/access";
import type { OrganizationBillingRow, OrganizationRow } from "@countersign/store/tables";
import { apiOf } from "./api.ts";
import type { TestDatabase } from "./databases.ts";
import {
  type FakeCustomer,
  type FakeEvent,
  type FakeStripe,
  signature,
  startFakeStripe,
} from "./fake-stripe.ts";
import { type ManageFixture, openManageFixture, type Person } from "./manage-fixture.ts";

/** A server that takes payments with a fake Stripe. */
export interface PaymentFixture extends ManageFixture {
  readonly stripe: FakeStripe;
  /** A new organization on Free, with a license that is valid. */
  payer(): Promise<Payer>;
  /** The same, with a customer in Stripe. */
  customer(): Promise<Payer & { readonly customer: FakeCustomer }>;
  /** Sends an event as Stripe does. */
  deliver(event: FakeEvent): Promise<Delivered>;
}

export interface Payer {
  readonly owner: Person;
  readonly id: string;
  readonly slug: string;
  readonly path: string;
  organization(): Promise<OrganizationRow>;
  billing(): Promise<OrganizationBillingRow | undefined>;
  /** The status that a validation of its license reports. */
  validated(): Promise<unknown>;
}

export interface Delivered {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  readonly body: any;
}

export async function openPaymentFixture(make: () => Promise<TestDatabase>): Promise<PaymentFixture> {
  const stripe = await startFakeStripe();
  const fixture = await openManageFixture(make, {
    why: "takes payments",
    environment: { COUNTERSIGN_DEFAULT_PLAN: "free", ...stripe.environment },
  });
  const payer = async (): Promise<Payer> => {
    const owner = await fixture.person();
    const { body: organization } = await owner.api.post("/organizations", { name: "Payer" });
    const path = `/organizations/${organization.id}`;
    const { body: product } = await owner.api.post(`${path}/products`, { name: "Tool" });
    const { body: license } = await owner.api.post(`/products/${product.id}/licenses`, {
      customer_email: "customer@example.com",
    });
    const api = apiOf(fixture.server.url, product.api_key);
    return {
      owner,
      id: organization.id,
      slug: organization.slug,
      path,
      organization: async () => {
        const row = await organizationById(fixture.store.reads, organization.id);
        if (row === undefined) throw new Error("The organization is gone.");
        return row;
      },
      billing: () => billingOf(fixture.store.reads, organization.id),
      validated: async () => (await api.validate({ license_key: license.license_key })).body.status,
    };
  };
  return {
    ...fixture,
    stripe,
    payer,
    customer: async () => {
      const one = await payer();
      const { status, text } = await one.owner.api.post(`${one.path}/billing/checkout`, {
        plan: "pro",
        interval: "month",
      });
      if (status !== 200) throw new Error(`There is no checkout: ${text}`);
      return { ...one, customer: stripe.customerOf(one.id) };
    },
    deliver: async (event) => {
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
