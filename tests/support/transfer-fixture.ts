import { expect } from "bun:test";
import { eventData } from "@countersign/contract/events";
import type { LicenseRow } from "@countersign/store/tables";
import { auditOf } from "./audit-of.ts";
import type { TestDatabase } from "./databases.ts";
import { type ManageFixture, openManageFixture } from "./manage-fixture.ts";
import { type SignedInClient, signedInWith } from "./portal-client.ts";
import { storedRows } from "./stored-rows.ts";
import { newId } from "./test-organization.ts";

/** The email address of someone new. */
export const someoneNew = () => `grace-${newId()}@example.com`;

export interface Sold {
  readonly id: string;
  readonly key: string;
  readonly customerId: string;
  readonly email: string;
  readonly customer: SignedInClient;
}

/** An organization that offers transfers, and another one on the same server. On the shared server. */
export type TransferSeller = Awaited<ReturnType<typeof openTransferSeller>>;

export async function openTransferSeller(make: () => Promise<TestDatabase>) {
  const fixture = await openManageFixture(make);
  const transfers = transferFixture(fixture);
  return {
    ...fixture,
    ...transfers,
    /** A product of which someone reviews transfers. */
    review: await transfers.product(),
    /** One of which transfers are approved automatically. */
    automatic: await transfers.product({ transfers: "automatic" }),
    another: async (name: string) => {
      const owner = await fixture.person();
      const { body } = await owner.api.post("/organizations", { name });
      const other = { ...fixture, owner, organizationId: String(body.id) };
      return { ...other, ...transferFixture(other) };
    },
  };
}

/** What transfers need: products that offer them, licenses of customers who are signed in, and their history. */
function transferFixture(fixture: ManageFixture) {
  const { store, owner, organizationId } = fixture;
  const signIn = ({ email, discordId }: { email?: string; discordId?: string }) =>
    signedInWith(fixture, {
      emails: email === undefined ? [] : [email.toLowerCase()],
      discordIds: discordId === undefined ? [] : [discordId],
    });
  /** The events of a license, oldest first, each checked against its schema. */
  const events = async (licenseId: string) => {
    const rows = await storedRows(store.reads, "events", { license_id: licenseId });
    return rows.map(({ type, data: text }) => {
      const data: ReturnType<typeof JSON.parse> = JSON.parse(text);
      expect(eventData(type).safeParse(data).error?.message).toBeUndefined();
      return { type, data };
    });
  };
  /** A license's transfers, oldest first. */
  const rows = (licenseId: string) => storedRows(store.reads, "transfers", { license_id: licenseId });
  /** The customer of a license requests its transfer. */
  const request = ({ id, customer }: Sold, body: object = { email: someoneNew() }) =>
    customer.post(`/licenses/${id}/transfers`, body);
  return {
    signIn,
    events,
    rows,
    request,
    /** A request that waits. Returns its ID. */
    requested: async (license: Sold, body?: object): Promise<string> => {
      const answer = await request(license, body);
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
    sold: async (productId: string, fields: object = {}): Promise<Sold> => {
      const email = `ada-${newId()}@example.com`;
      const license = { customer_email: email, customer_name: "Ada", ...fields };
      const { body, status } = await owner.api.post(`/products/${productId}/licenses`, license);
      expect(status).toBe(201);
      const { id, license_key: key, global_customer_id: customerId } = body;
      return { id, key, customerId, email, customer: await signIn({ email }) };
    },
    row: async (licenseId: string): Promise<LicenseRow | undefined> =>
      (await storedRows(store.reads, "licenses", { id: licenseId }))[0],
    types: async (licenseId: string) => (await events(licenseId)).map(({ type }) => type),
    states: async (licenseId: string) => (await rows(licenseId)).map(({ state }) => state),
    /** The audit log's entries about a license's transfers, oldest first. */
    audited: async (licenseId: string): Promise<{ action: string; actor: string; name: string }[]> => {
      const entries = await auditOf({ store }, licenseId);
      return entries
        .filter(({ action }) => action.startsWith("license.transfer"))
        .map(({ action, actor_kind: actor, actor_name: name }) => ({ action, actor, name }));
    },
  };
}
