import { stripeWebhookPath } from "@countersign/contract/stripe-webhook";
import { billingOf } from "@countersign/store/queries/billing/billing";
import { organizationById } from "@countersign/store/queries/manage/access";
import type { OrganizationBillingRow, OrganizationRow } from "@countersign/store/tables";
import type { StripeSettings } from "../../apps/server/config.ts";
import { type Api, apiOf } from "./api.ts";
import type { TestDatabase } from "./databases.ts";
import {
  type FakeCustomer,
  type FakeEvent,
  type FakeStripe,
  signature,
  startFakeStripe,
} from "./fake-stripe.ts";
import { type ManageFixture, openManageFixture, type Person } from "./manage-fixture.ts";

/** A server that takes payments with a fake Stripe. Pro costs 29 a month and 290 a year. */
export interface PaymentFixture extends ManageFixture {
  readonly stripe: FakeStripe;
  readonly settings: StripeSettings;
  /** A new organization on Free, with a license that is valid. */
  payer(): Promise<Payer>;
  /** The same, with a customer in Stripe. */
  customer(): Promise<Payer & { readonly customer: FakeCustomer }>;
  /** Sends an event as Stripe does. */
  deliver(event: FakeEvent, options?: Delivery): Promise<Delivered>;
}

export interface Payer {
  readonly owner: Person;
  readonly id: string;
  readonly slug: string;
  readonly path: string;
  readonly api: Api;
  readonly licenseKey: string;
  organization(): Promise<OrganizationRow>;
  billing(): Promise<OrganizationBillingRow | undefined>;
  /** The status that a validation of its license reports. */
  validated(): Promise<unknown>;
}

export interface Delivery {
  readonly url?: string;
  readonly secret?: string;
  readonly signedAtMs?: number;
}

export interface Delivered {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  readonly body: any;
}

export async function openPaymentFixture(
  make: () => Promise<TestDatabase>,
  environment: Readonly<Record<string, string>> = {},
): Promise<PaymentFixture> {
  const stripe = await startFakeStripe();
  const fixture = await openManageFixture(make, {
    COUNTERSIGN_DEFAULT_PLAN: "free",
    ...stripe.settings,
    ...environment,
  });
  await fixture.store.transaction((db) =>
    db
      .updateTable("plans")
      .set({ monthly_price: 2900, yearly_price: 29000 })
      .where("id", "=", "pro")
      .execute(),
  );
  const payer = async (): Promise<Payer> => {
    const owner = await fixture.person();
    const { body: organization } = await owner.api.post("/organizations", { name: "Payer" });
    const path = `/organizations/${organization.id}`;
    const { body: product } = await owner.api.post(`${path}/products`, { name: "Tool" });
    const { body: license } = await owner.api.post(`/products/${product.id}/licenses`, {});
    const api = apiOf(fixture.server.url, product.api_key);
    return {
      owner,
      id: organization.id,
      slug: organization.slug,
      path,
      api,
      licenseKey: license.license_key,
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
    settings: {
      secretKey: stripe.settings.COUNTERSIGN_STRIPE_SECRET_KEY ?? "",
      webhookSecret: stripe.webhookSecret,
      url: stripe.url,
      mode: "test",
    },
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
    deliver: async (event, options = {}) => {
      const payload = JSON.stringify(event);
      const secret = options.secret ?? stripe.webhookSecret;
      const header = await signature(payload, secret, options.signedAtMs);
      return sendEvent(options.url ?? fixture.server.url, payload, { "stripe-signature": header });
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
