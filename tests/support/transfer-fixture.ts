import { expect } from "bun:test";
import { eventBody } from "@countersign/contract/events/events";
import { auditOf } from "./audit-of.ts";
import type { TestDatabase } from "./databases.ts";
import type { SignedInClient } from "./portal-client.ts";
import { openPortalFixture, type PortalFixture } from "./portal-fixture.ts";
import { newId } from "./test-organization.ts";

/** The email address of someone new. */
export const someoneNew = () => `grace-${newId()}@example.com`;

/** An organization that offers transfers, and others on the same server. On the shared server. */
export type TransferSeller = Awaited<ReturnType<typeof openTransferSeller>>;

/** A license with its customer, who is signed in. */
export type Sold = Awaited<ReturnType<ReturnType<typeof transferFixture>["sold"]>>;

export async function openTransferSeller(make: () => Promise<TestDatabase>) {
  const fixture = await openPortalFixture(make);
  const transfers = transferFixture(fixture);
  return {
    ...fixture,
    ...transfers,
    /** A product of which someone reviews transfers. */
    review: await transfers.product(),
    /** One of which transfers are approved automatically. */
    automatic: await transfers.product({ transfers: "automatic" }),
    another: async () => {
      const other = { ...fixture, ...(await fixture.seller()) };
      return { ...other, ...transferFixture(other) };
    },
  };
}

/** What transfers need: products that offer them, licenses of customers who are signed in, and their history. */
function transferFixture(fixture: PortalFixture) {
  const { owner, organizationId } = fixture;
  /** The events of a license, oldest first, each checked against its schema. */
  const events = async (licenseId: string) =>
    (await fixture.stored("events", { license_id: licenseId })).map(({ type, data: text }) => {
      const data: ReturnType<typeof JSON.parse> = JSON.parse(text);
      expect(eventBody(type).shape.data.safeParse(data).error?.message).toBeUndefined();
      return { type, data };
    });
  /** A license's transfers, oldest first. */
  const rows = (licenseId: string) => fixture.stored("transfers", { license_id: licenseId });
  /** The customer of a license requests its transfer. */
  const request = (of: { id: string; customer: SignedInClient }, body: object = { email: someoneNew() }) =>
    of.customer.post(`/licenses/${of.id}/transfers`, body);
  return {
    events,
    rows,
    request,
    /** A request that waits. Returns its ID. */
    requested: async (...values: Parameters<typeof request>): Promise<string> => {
      const answer = await request(...values);
      expect([answer.status, answer.body.code ?? answer.body.state]).toEqual([201, "pending"]);
      return answer.body.id;
    },
    approve: (id: string) => owner.api.post(`/transfers/${id}/approve`),
    reject: (id: string, reason = "Not now.") => owner.api.post(`/transfers/${id}/reject`, { reason }),
    /** A transfer as the organization sees it. */
    shown: async (id: string) => (await owner.api.get(`/transfers/${id}`)).body,
    /** A product with these settings. New licenses can be transferred at once. */
    product: async (settings: object = {}): Promise<string> => {
      const fields = { name: "Studio", transfers: "review", transfer_cooldown_days: 0, ...settings };
      const { body, status } = await owner.api.post(`/organizations/${organizationId}/products`, fields);
      expect(status).toBe(201);
      return body.id;
    },
    /** A license of a new customer, who is signed in. */
    sold: async (productId: string, fields: object = {}) => {
      const email = `ada-${newId()}@example.com`;
      const license = { customer_email: email, customer_name: "Ada", ...fields };
      const { body, status } = await owner.api.post(`/products/${productId}/licenses`, license);
      expect(status).toBe(201);
      const { id, license_key: key, global_customer_id: customerId } = body;
      const named: Record<"id" | "key" | "customerId", string> = { id, key, customerId };
      return { ...named, email, customer: await fixture.signedIn(email) };
    },
    row: async (licenseId: string) => (await fixture.stored("licenses", { id: licenseId }))[0],
    types: async (licenseId: string) => (await events(licenseId)).map(({ type }) => type),
    states: async (licenseId: string) => (await rows(licenseId)).map(({ state }) => state),
    /** The audit log's entries about a license's transfers, oldest first. */
    audited: async (licenseId: string): Promise<Record<"action" | "actor" | "name", string>[]> =>
      (await auditOf(fixture, licenseId))
        .filter(({ action }) => action.startsWith("license.transfer"))
        .map(({ action, actor_kind: actor, actor_name: name }) => ({ action, actor, name })),
  };
}
