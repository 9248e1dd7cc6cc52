import { expect } from "bun:test";
import { eventData } from "@countersign/contract/events";
import type { EventType } from "@countersign/domain/events/types";
import type { LicenseRow } from "@countersign/store/tables";
import type { ManageFixture } from "./manage-fixture.ts";
import { type PortalCustomer, portalCustomer, portalEnvironment } from "./signed-in-customer.ts";
import { newId } from "./test-organization.ts";

/** What transfers need: products that offer them, licenses of customers who are signed in, and their history. */
export interface TransferFixture {
  /** A product with these settings. New licenses can be transferred at once. */
  product(settings?: object): Promise<string>;
  /** A license of a new customer, who is signed in. */
  sold(productId: string, fields?: object): Promise<Sold>;
  signIn(identities: { email?: string; discordId?: string }): Promise<PortalCustomer>;
  row(licenseId: string): Promise<LicenseRow | undefined>;
  /** The events of a license, oldest first, each checked against its schema. */
  events(licenseId: string): Promise<{ type: EventType; data: ReturnType<typeof JSON.parse> }[]>;
  types(licenseId: string): Promise<EventType[]>;
  /** The states of a license's transfers, oldest first. */
  states(licenseId: string): Promise<string[]>;
  /** The audit log's entries about a license's transfers, oldest first. */
  audited(licenseId: string): Promise<{ action: string; actor: string; name: string }[]>;
}

export interface Sold {
  readonly id: string;
  readonly key: string;
  readonly customerId: string;
  readonly email: string;
  readonly customer: PortalCustomer;
}

export function transferFixture(fixture: ManageFixture): TransferFixture {
  const { store, owner, organizationId } = fixture;
  const signIn: TransferFixture["signIn"] = (identities) =>
    portalCustomer(
      { store, server: fixture.server },
      {
        emails: identities.email === undefined ? [] : [identities.email.toLowerCase()],
        discordIds: identities.discordId === undefined ? [] : [identities.discordId],
      },
      { origin: portalEnvironment.COUNTERSIGN_URL },
    );
  const events: TransferFixture["events"] = async (licenseId) => {
    const rows = await store.reads
      .selectFrom("events")
      .selectAll()
      .where("license_id", "=", licenseId)
      .orderBy("id")
      .execute();
    return rows.map((row) => {
      const data = JSON.parse(row.data);
      expect(eventData(row.type).safeParse(data).error?.message).toBeUndefined();
      return { type: row.type, data };
    });
  };
  return {
    signIn,
    events,
    product: async (settings = {}) => {
      const { body, status } = await owner.api.post(`/organizations/${organizationId}/products`, {
        name: "Studio",
        transfers: "review",
        transfer_cooldown_days: 0,
        ...settings,
      });
      expect(status).toBe(201);
      return body.id;
    },
    sold: async (productId, fields = {}) => {
      const email = `ada-${newId()}@example.com`;
      const { body, status } = await owner.api.post(`/products/${productId}/licenses`, {
        customer_email: email,
        customer_name: "Ada",
        ...fields,
      });
      expect(status).toBe(201);
      const { id, license_key: key, global_customer_id: customerId } = body;
      return { id, key, customerId, email, customer: await signIn({ email }) };
    },
    row: (licenseId) =>
      store.reads.selectFrom("licenses").selectAll().where("id", "=", licenseId).executeTakeFirst(),
    types: async (licenseId) => (await events(licenseId)).map(({ type }) => type),
    states: async (licenseId) => {
      const rows = await store.reads
        .selectFrom("transfers")
        .select("state")
        .where("license_id", "=", licenseId)
        .orderBy("id")
        .execute();
      return rows.map(({ state }) => state);
    },
    audited: async (licenseId) => {
      const rows = await store.reads
        .selectFrom("audit_log")
        .select(["action", "actor_kind as actor", "actor_name as name"])
        .where("subject_id", "=", licenseId)
        .where("action", "like", "license.transfer%")
        .orderBy("id")
        .execute();
      return rows.map(({ action, actor, name }) => ({ action, actor, name }));
    },
  };
}
