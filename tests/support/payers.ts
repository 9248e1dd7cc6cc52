import { beforeAll } from "bun:test";
import { billingOf } from "@countersign/store/queries/billing/billing";
import { updateOrganization } from "@countersign/store/queries/organizations/organizations";
import { createLog } from "../../apps/server/base/log.ts";
import { customerOf } from "../../apps/server/features/billing/checkout.ts";
import { type PaymentParts, syncOrganization } from "../../apps/server/features/billing/sync.ts";
import { type FakeStripe, startFakeStripe } from "./fake-stripe.ts";
import { onDatabase, type QueryFixture } from "./query-tests.ts";
import { afterAllFiles } from "./shared-resources.ts";
import { skipWithReason } from "./skip.ts";
import { howToGetStripeMock, stripeMockPath } from "./stripe-mock.ts";

export const dashboardUrl = "https://countersign.example";

/** Payments without a server, with a fake Stripe. */
export type Payments = ReturnType<typeof openPayments>;
export type Newcomer = Awaited<ReturnType<Payments["newcomer"]>>;
export type Payer = Awaited<ReturnType<Payments["payer"]>>;

/** Tests of payments, which are skipped without Stripe's test server. */
export function paymentTests(
  kind: QueryFixture["kind"],
  title: string,
  tests: (fixture: QueryFixture, payments: Payments) => void,
): void {
  if (stripeMockPath === null) skipWithReason(title, howToGetStripeMock);
  else onDatabase(kind, title, (fixture) => tests(fixture, openPayments(fixture)));
}

/** Can be used in tests and not before. */
export function openPayments(fixture: QueryFixture) {
  let stripe: FakeStripe;
  const lines: string[] = [];
  beforeAll(async () => {
    stripe = await sharedStripe(fixture.kind);
  }, 180_000);
  const parts = (): PaymentParts => ({ store: fixture.store, settings: stripe.settings, url: dashboardUrl });
  /** A new organization on Free. */
  const newcomer = async () => {
    const { organizationId: id } = await fixture.organization({ plan: "free" });
    const owner = await fixture.user();
    await fixture.write((db) => updateOrganization(db, id, { owner_id: owner.id }));
    const organization = () => fixture.row("organizations", { id });
    return {
      id,
      ownerEmail: owner.email,
      organization,
      billing: () => billingOf(fixture.reads, id),
      /** Its plan and payment state. */
      state: async (): Promise<{ plan: string; state: string }> => {
        const { plan, billing_state: state } = await organization();
        return { plan, state };
      },
    };
  };
  /** The same with a customer in Stripe. */
  const payer = async () => {
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
    /** What was logged so far. */
    logged: () => lines.join(""),
    newcomer,
    payer,
    /** The same with a subscription to Pro, which is applied. */
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
  const known = shared.get(kind);
  if (known !== undefined) return known;
  const started = startFakeStripe();
  shared.set(kind, started);
  afterAllFiles.push(async () => (await started).close());
  return started;
}
