import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { dayMs } from "@countersign/domain/dates/lengths";
import { registerIp } from "@countersign/store/queries/licenses/create";
import { addTransfer } from "@countersign/store/queries/transfers/transfers";
import type { TransferRow } from "@countersign/store/tables";
import { addLicense } from "../support/add-license.ts";
import { apiOf } from "../support/api.ts";
import { on } from "../support/databases.ts";
import type { SignedInClient } from "../support/portal-client.ts";
import { openPortalFixture, type PortalFixture, type Seller } from "../support/portal-fixture.ts";
import { newId } from "../support/test-organization.ts";
import { transferRow } from "../support/transfer-fixture.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);

const newEmail = () => `${newId()}@example.com`;
type Settings = NonNullable<Parameters<typeof addLicense>[1]>;

describe.each(on("postgres"))("a license as its customer sees it on $kind", ({ make }) => {
  let fixture: PortalFixture;
  let acme: Seller;
  beforeAll(async () => {
    fixture = await openPortalFixture(make);
    acme = await fixture.seller();
  });
  afterAll(() => fixture.close());

  const sold = (settings: Settings = {}, at = acme) => fixture.sold(at, settings);
  const validated = async ({ apiKey }: Seller, key: string, ip: string) => {
    const sent = { license_key: key, device_id: "desk" };
    const { body } = await apiOf(fixture.server.url, apiKey).validate(sent, { "x-forwarded-for": ip });
    return body.status;
  };

  test.each([
    ["in 30 days", 30 * dayMs + 60_000, "active", 30],
    ["in less than a day", dayMs - 60_000, "active", 0],
    ["a moment ago", -1_000, "expired", -1],
    ["ten days ago", -10 * dayMs + 60_000, "expired", -10],
  ])("a license that expires %s says so", async (_, inMs, status, daysLeft) => {
    const { shown } = await sold({ expiresAtMs: Date.now() + inMs });
    expect(await shown()).toMatchObject({ status, days_left: daysLeft, is_lifetime: false });
  });

  test("a license shows its settings, and neither the key nor what the seller noted", async () => {
    const renewalUrl = "https://shop.example/renew";
    const seller = await fixture.seller({ product: { renewal_url: renewalUrl } });
    const { id, key, customer } = await sold({ notes: "Difficult person", maxIps: 3 }, seller);
    const { body, text } = await customer.get(`/licenses/${id}`);
    expect(body).toMatchObject({
      renewal_url: renewalUrl,
      max_ips: 3,
      versions: null,
      downloads: [],
      refusals: [],
      transfer: null,
      self_service: {
        ip_removals: { limit: 0, used: 0, left: 0, next_at: null },
        transfers: "off",
        can_request_transfer: false,
      },
    });
    expect(text).not.toContain(key);
    expect(text).not.toContain("Difficult");
  });

  test("a license marks the IP addresses that are the customer's, as the product counts them", async () => {
    const { id, customer, shown } = await sold({ maxIps: 9 });
    await fixture.store.transaction(async (db) => {
      for (const ip of ["203.0.113.7", "203.0.113.8", "2001:db8:1:2::/64"])
        await registerIp(db, id, ip, Date.now());
    });
    for (const [ip, yours, marked] of [
      ["203.0.113.7", "203.0.113.7", ["203.0.113.7"]],
      ["203.0.113.99", "203.0.113.99", []],
      ["2001:db8:1:2:ffff::1", "2001:db8:1:2::/64", ["2001:db8:1:2::/64"]],
    ] as const) {
      const { your_ip, ips } = await shown(await fixture.signedIn(customer, ip));
      const isMarked = ips.filter((one: { is_you: boolean }) => one.is_you);
      expect([your_ip, isMarked.map((one: { ip: string }) => one.ip)]).toEqual([yours, [...marked]]);
    }
  });

  test("a license lists the most recently seen IP addresses first", async () => {
    const { key, shown } = await sold({ maxIps: 9 });
    const seen = ["203.0.113.9", "203.0.113.5", "203.0.113.7"];
    for (const ip of seen) {
      expect(await validated(acme, key, ip)).toBe("active");
      // Within one millisecond, none is the more recent.
      const endMs = Date.now() + 1;
      await until("the next millisecond", () => Date.now() > endMs);
    }
    const ipsSeen = async () => (await shown()).ips as { ip: string; last_seen_at: string | null }[];
    await until("the sightings are stored", async () =>
      (await ipsSeen()).every((one) => one.last_seen_at !== null),
    );
    expect((await ipsSeen()).map(({ ip }) => ip)).toEqual(seen.toReversed());
  });

  test("a license shows its pending transfer", async () => {
    const seller = await fixture.seller({ product: { transfers: "review" } });
    const license = await sold({}, seller);
    const requestable = { transfers: "review", can_request_transfer: true };
    expect((await license.shown()).self_service).toMatchObject(requestable);
    await transferred(seller, license, { state: "pending" });
    expect(await license.shown()).toMatchObject({
      transfer: {
        state: "pending",
        to_email: "grace@example.com",
        product_name: "Plugin",
        seller_name: "Seller",
      },
      has_pending_transfer: true,
      self_service: { can_request_transfer: false },
    });
    expect((await license.customer.get("/licenses")).body.data[0].has_pending_transfer).toBe(true);
  });

  const transferred = (
    { organizationId, productId }: Seller,
    { id, customerId }: { id: string; customerId: string | null },
    columns: Partial<TransferRow>,
  ) =>
    fixture.store.transaction((db) =>
      addTransfer(
        db,
        transferRow({
          organization_id: organizationId,
          product_id: productId,
          license_id: id,
          from_customer_id: customerId ?? "",
          ...columns,
        }),
      ),
    );

  /** A license of which validations from these IP addresses are counted: the first is registered, the others are refused. */
  const refusedFrom = async (...ips: readonly string[]) => {
    const license = await sold({ maxIps: 1 });
    for (const ip of ips) await validated(acme, license.key, ip);
    const refusals = async (by = license.customer) => (await license.shown(by)).refusals;
    await until("all are counted", async () => (await refusals())[0]?.count === ips.length - 1);
    return { ...license, refusals };
  };

  test("refused validations are shown to the customer, and not to whom the license was transferred later", async () => {
    const license = await refusedFrom("203.0.113.1", "203.0.113.2", "203.0.113.3");
    expect(await license.refusals()).toMatchObject([
      { status: "ip_limit_reached", count: 2, last_ip: "203.0.113.3" },
    ]);
    await transferred(acme, license, { state: "approved", decided_at: Date.now() });
    expect(await license.refusals()).toEqual([]);
  });

  test("refused validations and devices are not shown to whom the seller gave the license later", async () => {
    const { id, shown, refusals } = await refusedFrom("203.0.113.1", "203.0.113.2");
    const devices = async (by?: SignedInClient) =>
      (await shown(by)).ips.map((one: { device_ids: string[] }) => one.device_ids);
    await until("the devices are in the log", async () => {
      const [refused] = await refusals();
      return (await devices())[0]?.[0] === "desk" && refused.device_ids[0] === "desk";
    });
    await acme.owner.api.patch(`/licenses/${id}`, { notes: "Nothing about the customer" });
    expect(await refusals()).toHaveLength(1);
    const next = newEmail();
    await acme.owner.api.patch(`/licenses/${id}`, { customer_email: next });
    const theirs = await fixture.signedIn(next);
    expect([await refusals(theirs), await devices(theirs)]).toEqual([[], [[]]]);
  });

  test("refused validations are not shown to whose email address the seller gave to the customer later", async () => {
    const { customerId, refusals } = await refusedFrom("203.0.113.1", "203.0.113.2");
    const [unknown, known] = [newEmail(), newEmail()];
    await addLicense(acme, { customer: { email: known } });
    let id = customerId;
    const change = async (fields: object) => {
      const path = `/organizations/${acme.organizationId}/customers/${id}`;
      const { status, body } = await acme.owner.api.patch(path, fields);
      expect(status).toBe(200);
      id = body.id;
    };
    await change({ name: "Ada" });
    expect(await refusals()).toHaveLength(1);
    // Someone who was a customer before is merged with them.
    for (const email of [unknown, known]) {
      await change({ email });
      expect(await refusals(await fixture.signedIn(email))).toEqual([]);
    }
  });
});
