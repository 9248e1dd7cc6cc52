import { expect } from "bun:test";
import { eventData } from "@countersign/contract/events";
import type { EventType } from "@countersign/domain/events/types";
import type { LicenseRow, TransferRow } from "@countersign/store/tables";
import type { BrowserAnswer } from "./browser.ts";
import type { TestDatabase } from "./databases.ts";
import type { ManageAnswer } from "./manage-client.ts";
import { type ManageFixture, openManageFixture } from "./manage-fixture.ts";
import { type SignedInClient, signedInWith } from "./portal-client.ts";
import { newId } from "./test-organization.ts";

/** What transfers need: products that offer them, licenses of customers who are signed in, and their history. */
export interface TransferFixture {
  /** A product with these settings. New licenses can be transferred at once. */
  product(settings?: object): Promise<string>;
  /** A license of a new customer, who is signed in. */
  sold(productId: string, fields?: object): Promise<Sold>;
  signIn(identities: { email?: string; discordId?: string }): Promise<SignedInClient>;
  row(licenseId: string): Promise<LicenseRow | undefined>;
  /** The events of a license, oldest first, each checked against its schema. */
  events(licenseId: string): Promise<{ type: EventType; data: ReturnType<typeof JSON.parse> }[]>;
  types(licenseId: string): Promise<EventType[]>;
  /** A license's transfers, oldest first. */
  rows(licenseId: string): Promise<TransferRow[]>;
  states(licenseId: string): Promise<string[]>;
  /** The audit log's entries about a license's transfers, oldest first. */
  audited(licenseId: string): Promise<{ action: string; actor: string; name: string }[]>;
  /** The customer of a license requests its transfer, by default to someone new. */
  request(license: Sold, body?: object): Promise<BrowserAnswer>;
  /** A request that waits. Returns its ID. */
  requested(license: Sold, body?: object): Promise<string>;
  approve(id: string): Promise<ManageAnswer>;
  reject(id: string, reason?: string): Promise<ManageAnswer>;
  /** A transfer as the organization sees it. */
  shown(id: string): Promise<ManageAnswer["body"]>;
}

/** The email address of someone new. */
export const someoneNew = () => `grace-${newId()}@example.com`;

export interface Sold {
  readonly id: string;
  readonly key: string;
  readonly customerId: string;
  readonly email: string;
  readonly customer: SignedInClient;
}

/** An organization that offers transfers. */
export interface TransferSeller extends ManageFixture, TransferFixture {
  /** A product of which someone reviews transfers. */
  readonly review: string;
  /** One of which transfers are approved automatically. */
  readonly automatic: string;
  /** Another organization on the same server. */
  another(name: string): Promise<ManageFixture & TransferFixture>;
}

/** On the shared server. */
export async function openTransferSeller(make: () => Promise<TestDatabase>): Promise<TransferSeller> {
  const fixture = await openManageFixture(make);
  const transfers = transferFixture(fixture);
  return {
    ...fixture,
    ...transfers,
    review: await transfers.product(),
    automatic: await transfers.product({ transfers: "automatic" }),
    another: async (name) => {
      const owner = await fixture.person();
      const { body } = await owner.api.post("/organizations", { name });
      const other = { ...fixture, owner, organizationId: String(body.id) };
      return { ...other, ...transferFixture(other) };
    },
  };
}

function transferFixture(fixture: ManageFixture): TransferFixture {
  const { store, owner, organizationId } = fixture;
  const signIn: TransferFixture["signIn"] = ({ email, discordId }) =>
    signedInWith(fixture, {
      emails: email === undefined ? [] : [email.toLowerCase()],
      discordIds: discordId === undefined ? [] : [discordId],
    });
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
  const rows: TransferFixture["rows"] = (licenseId) =>
    store.reads
      .selectFrom("transfers")
      .selectAll()
      .where("license_id", "=", licenseId)
      .orderBy("id")
      .execute();
  const request: TransferFixture["request"] = ({ id, customer }, body = { email: someoneNew() }) =>
    customer.post(`/licenses/${id}/transfers`, body);
  return {
    signIn,
    events,
    rows,
    request,
    requested: async (license, body) => {
      const answer = await request(license, body);
      expect([answer.status, answer.body.code ?? answer.body.state]).toEqual([201, "pending"]);
      return answer.body.id;
    },
    approve: (id) => owner.api.post(`/transfers/${id}/approve`),
    reject: (id, reason = "Not now.") => owner.api.post(`/transfers/${id}/reject`, { reason }),
    shown: async (id) => (await owner.api.get(`/transfers/${id}`)).body,
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
    states: async (licenseId) => (await rows(licenseId)).map(({ state }) => state),
    audited: async (licenseId) => {
      const entries = await store.reads
        .selectFrom("audit_log")
        .select(["action", "actor_kind as actor", "actor_name as name"])
        .where("subject_id", "=", licenseId)
        .where("action", "like", "license.transfer%")
        .orderBy("id")
        .execute();
      return entries.map(({ action, actor, name }) => ({ action, actor, name }));
    },
  };
}

/** A stored transfer that waits, from Ada to Grace, except for these columns. */
export function transferRow(
  of: Pick<TransferRow, "organization_id" | "product_id"> & Partial<TransferRow>,
): TransferRow {
  const requestedAtMs = of.requested_at ?? Date.now();
  return {
    id: newId(),
    license_id: newId(),
    license_key_hint: "AAAA…",
    state: "pending",
    from_customer_id: newId(),
    from_email: "ada@example.com",
    from_discord_id: null,
    from_name: "Ada",
    to_email: "grace@example.com",
    to_discord_id: null,
    to_customer_id: null,
    message: "For Grace",
    review_reason: "product_setting",
    requested_by: null,
    requested_at: requestedAtMs,
    decided_at: null,
    decided_by: null,
    decided_by_name: null,
    reason: null,
    updated_at: requestedAtMs,
    ...of,
  };
}
