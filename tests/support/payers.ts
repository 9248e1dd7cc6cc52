import { beforeAll } from "bun:test";
import { billingOf } from "@countersign/store/queries/billing/billing";
import { organizationById } from "@countersign/store/queries/manage/access";
import { updateOrganization } from "@countersign/store/queries/organizations/organizations";
import type { OrganizationBillingRow, OrganizationRow } from "@countersign/store/tables";
import { customerOf } from "../../apps/server/features/billing/customer.ts";
import { type PaymentParts, syncOrganization } from "../../apps/server/features/billing/sync.ts";
import { createLog, type Log } from "../../apps/server/log.ts";
import { dashboardUrl } from "./billing.ts";
import { type FakeCustomer, type FakeStripe, type FakeSubscription, startFakeStripe } from "./fake-stripe.ts";
import type { QueryFixture } from "./query-tests.ts";
import { afterAllFiles } from "./shared-resources.ts";

/** Payments without a server, with a fake Stripe. */
export interface Payments {
  readonly stripe: FakeStripe;
  readonly parts: PaymentParts;
  readonly log: Log;
  /** What was logged so far. */
  logged(): string;
  /** A new organization on Free. */
  newcomer(): Promise<Newcomer>;
  /** The same with a customer in Stripe. */
  payer(): Promise<Payer>;
  /** The same with a subscription to Pro, which is applied. */
  subscriber(): Promise<Payer & { readonly subscription: FakeSubscription }>;
}

export interface Newcomer {
  readonly id: string;
  readonly ownerEmail: string;
  organization(): Promise<OrganizationRow>;
  billing(): Promise<OrganizationBillingRow | undefined>;
  /** Its plan and payment state. */
  state(): Promise<{ plan: string; state: string }>;
}

export interface Payer extends Newcomer {
  readonly customer: FakeCustomer;
}

/** Can be used in tests and not before. */
export function openPayments(fixture: QueryFixture): Payments {
  let stripe: FakeStripe;
  let lines: string[] = [];
  beforeAll(async () => {
    stripe = await sharedStripe(fixture.kind);
    lines = [];
  }, 180_000);
  const parts = (): PaymentParts => ({ store: fixture.store, settings: stripe.settings, url: dashboardUrl });
  const newcomer = async (): Promise<Newcomer> => {
    const { organizationId: id } = await fixture.organization({ plan: "free" });
    const owner = await fixture.user();
    await fixture.write((db) => updateOrganization(db, id, { owner_id: owner.id }));
    const organization = async () => {
      const row = await organizationById(fixture.reads, id);
      if (row === undefined) throw new Error("The organization is gone.");
      return row;
    };
    return {
      id,
      ownerEmail: owner.email,
      organization,
      billing: () => billingOf(fixture.reads, id),
      state: async () => {
        const { plan, billing_state: state } = await organization();
        return { plan, state };
      },
    };
  };
  const payer = async (): Promise<Payer> => {
    const one = await newcomer();
    await customerOf(parts(), await one.organization());
    return { ...one, customer: stripe.customerOf(one.id) };
  };
  return {
    get stripe() {
      return stripe;
    },
    get parts() {
      return parts();
    },
    log: createLog({ level: "info", pretty: false, now: Date.now, write: (line) => lines.push(line) }),
    logged: () => lines.join(""),
    newcomer,
    payer,
    subscriber: async () => {
      const one = await payer();
      const subscription = stripe.subscribe(one.customer);
      await syncOrganization(parts(), one.id);
      return { ...one, subscription };
    },
  };
}

const shared = new Map<QueryFixture["kind"], Promise<FakeStripe>>();

/** The fake Stripe of a database that the test files of a process share: the database knows its prices. */
function sharedStripe(kind: QueryFixture["kind"]): Promise<FakeStripe> {
  const running = shared.get(kind) ?? startFakeStripe();
  if (!shared.has(kind)) afterAllFiles.push(async () => (await running).close());
  shared.set(kind, running);
  return running;
}
