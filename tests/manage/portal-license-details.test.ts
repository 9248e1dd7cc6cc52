import { beforeAll, expect, test } from "bun:test";
import { dayMs } from "@countersign/domain/dates/lengths";
import { registerIp } from "@countersign/store/queries/licenses/create";
import { addLicense } from "../support/add-license.ts";
import { apiOf } from "../support/api.ts";
import { csvFile, importFile } from "../support/license-files.ts";
import type { SignedInClient } from "../support/portal-client.ts";
import { openPortalFixture, type Seller } from "../support/portal-fixture.ts";
import { newId } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";
import { until } from "../support/until.ts";

const newEmail = () => `${newId()}@example.com`;
type Settings = NonNullable<Parameters<typeof addLicense>[1]>;

testsOn("postgres", "license details in the portal", openPortalFixture, (fixture) => {
  let acme: Seller;
  beforeAll(async () => {
    acme = await fixture.seller();
  });

  const sold = (settings: Settings = {}, at = acme) => fixture.sold(at, settings);
  const validated = async ({ apiKey }: Seller, key: string, ip: string) => {
    const sent = { license_key: key, device_id: "desk" };
    const { body } = await apiOf(fixture.url, apiKey).validate(sent, { "x-forwarded-for": ip });
    return body.status;
  };

  test("a license that expires says when, and how many seconds that is from now by the server's clock", async () => {
    for (const [inMs, status] of [
      [30 * dayMs, "active"],
      [-10 * dayMs, "expired"],
    ] as const) {
      const nowMs = await fixture.store.clock();
      const { shown } = await sold({ expiresAtMs: nowMs + inMs });
      const { seconds_left: seconds, ...license } = await shown();
      expect(license).toMatchObject({ status, is_lifetime: false });
      const laterMs = await fixture.store.clock();
      expect(seconds).toBeLessThanOrEqual(Math.ceil(inMs / 1_000));
      expect(seconds).toBeGreaterThanOrEqual(Math.ceil((nowMs + inMs - laterMs) / 1_000));
    }
  });

  test("a license shows its settings, and neither the key nor what the seller noted", async () => {
    const renewalUrl = "https://shop.example/renew";
    const seller = await fixture.seller({ renewal_url: renewalUrl });
    const { id, key, customer } = await sold({ notes: "Difficult person", maxIps: 3 }, seller);
    const { body, text } = await customer.get(`/licenses/${id}`);
    const ip_removals = { limit: 0, used: 0, left: 0, next_at: null };
    expect(body).toMatchObject({
      renewal_url: renewalUrl,
      max_ips: 3,
      versions: null,
      downloads: [],
      refusals: [],
      transfer: null,
      self_service: { ip_removals, transfers: "off", can_request_transfer: false },
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
    const listed = async () => (await shown()).ips as { ip: string; last_seen_at: string | null }[];
    const areSeen = async () => (await listed()).every((one) => one.last_seen_at !== null);
    await until("the sightings are stored", areSeen);
    expect((await listed()).map(({ ip }) => ip)).toEqual(seen.toReversed());
  });

  test("a license shows its pending transfer", async () => {
    const seller = await fixture.seller({ transfers: "review" });
    const license = await sold({}, seller);
    const requestable = { transfers: "review", can_request_transfer: true };
    expect((await license.shown()).self_service).toMatchObject(requestable);
    await license.customer.post(`/licenses/${license.id}/transfers`, { email: "grace@example.com" });
    const names = { product_name: "Plugin", seller_name: "Seller" };
    expect(await license.shown()).toMatchObject({
      transfer: { state: "pending", to_email: "grace@example.com", ...names },
      has_pending_transfer: true,
      self_service: { can_request_transfer: false },
    });
    expect((await license.customer.get("/licenses")).body.data[0].has_pending_transfer).toBe(true);
  });

  /** A license whose customer sees that one validation was refused, and on which device. */
  const refused = async (seller = acme) => {
    const license = await sold({ maxIps: 1 }, seller);
    for (const ip of ["203.0.113.1", "203.0.113.2"]) await validated(seller, license.key, ip);
    const history = async (by: SignedInClient) => {
      const { refusals, ips } = await license.shown(by);
      return { refusals, devices: ips.flatMap((one: { device_ids: string[] }) => one.device_ids) };
    };
    await until("it is counted, with its device", async () => {
      const { refusals, devices } = await history(license.customer);
      return refusals[0]?.count === 1 && refusals[0].device_ids[0] === "desk" && devices[0] === "desk";
    });
    const customer = `/organizations/${seller.organizationId}/customers/${license.customerId}`;
    return { license, history, customer };
  };

  test("refused validations stay visible after changes that say nothing about the customer", async () => {
    const { license, history, customer } = await refused();
    await acme.owner.api.patch(`/licenses/${license.id}`, { notes: "Nothing about the customer" });
    await acme.owner.api.patch(customer, { name: "Ada" });
    const refusal = { status: "ip_limit_reached", count: 1, last_ip: "203.0.113.2" };
    expect((await history(license.customer)).refusals).toMatchObject([refusal]);
  });

  test.each([
    ["who has the license later", "license"],
    ["whose email address the seller gave to the customer later", "customer"],
    ["who was a customer before and is merged with the former one", "merge"],
    ["to whom the license was transferred", "transfer"],
    ["who was a customer before and gets the license by an import", "import"],
  ] as const)("neither refused validations nor devices are shown to someone %s", async (_, way) => {
    const seller = await fixture.seller({ transfers: "automatic", transfer_cooldown_days: 0 });
    const email = newEmail();
    if (way === "import") await addLicense(seller, { customer: { email } });
    const { license, history, customer } = await refused(seller);
    const { api } = seller.owner;
    if (way === "license") await api.patch(`/licenses/${license.id}`, { customer_email: email });
    if (way === "merge") await addLicense(seller, { customer: { email } });
    if (way === "customer" || way === "merge") await api.patch(customer, { email });
    const file = csvFile(["license_key", "customer_email"], [license.key, email]);
    if (way === "import") await importFile({ ...fixture, ...seller }, file, "?on_existing=update");
    if (way === "transfer") await license.customer.post(`/licenses/${license.id}/transfers`, { email });
    expect(await history(await fixture.signedIn(email))).toEqual({ refusals: [], devices: [] });
  });
});
