import { expect, setDefaultTimeout, test } from "bun:test";
import { dayMs } from "@countersign/domain/dates/lengths";
import { type RuleName, ruleNames } from "@countersign/domain/validate/decide";
import { addIpBlocks } from "@countersign/store/queries/ip-blocks/blocks";
import { registerIp } from "@countersign/store/queries/licenses/create";
import { type AddedLicense, addLicense } from "../support/add-license.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { requestLog } from "../support/request-log.ts";
import { newId } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);

const ip = "198.51.100.20";

/** That an explanation agrees with a validation: apps/server/features/explain/explained-request.test.ts. */
testsOn("postgres", "explain", openManageFixture, (fixture) => {
  /** A license with a block of its own and a registered IP address. */
  const blockedLicense = async (settings: Parameters<typeof addLicense>[1] = {}) => {
    const license = await addLicense(fixture, { maxIps: 1, ...settings });
    const scope = { tier: "license", organizationId: fixture.organizationId, licenseId: license.id } as const;
    const block = { id: newId(), scope, cidr: "198.51.100.0/24", note: "Reseller", expiresAtMs: null };
    await fixture.store.transaction(async (db) => {
      await registerIp(db, license.id, "192.0.2.1", 1);
      await addIpBlocks(db, [block], 1);
    });
    return license;
  };
  const explain = ({ id }: AddedLicense, body: object, api = fixture.owner.api) =>
    api.post(`/licenses/${id}/explain`, body);
  const explained = async (license: AddedLicense, body: object) => (await explain(license, body)).body;
  const ruleOf = (answer: { rules: { rule: RuleName }[] }, name: RuleName) =>
    answer.rules.find(({ rule }) => rule === name);

  test("an explanation shows every rule in order, with the facts that a seller needs, at any time", async () => {
    const license = await blockedLicense({ expiresAtMs: Date.UTC(2020, 0) });
    const answer = await explained(license, { ip });
    expect(answer.rules.map(({ rule }: { rule: string }) => rule)).toEqual([...ruleNames]);
    expect(answer).toMatchObject({ status: "expired", valid: false });
    const expiry = "2020-01-01T00:00:00.000Z";
    const message = `The license expired at ${expiry}.`;
    const block = { cidr: "198.51.100.0/24", level: "license", note: "Reseller", ip };
    const slots = { registered: 1, max_ips: 1, ip_registered: false, registered_ips: ["192.0.2.1"] };
    const facts: [rule: RuleName, shown: object][] = [
      ["expired", { passed: false, reason: "expired", facts: { expires_at: expiry }, message }],
      ["ip_blocked", { passed: false, facts: block }],
      ["ip_limit_reached", { passed: false, facts: slots }],
      ["invalid_api_key", { facts: { api_keys: [fixture.apiKey.slice(0, 12)] } }],
    ];
    for (const [rule, shown] of facts) expect(ruleOf(answer, rule)).toMatchObject(shown);
    const at = "2019-12-31T23:59:59Z";
    const earlier = await explained(license, { ip: "203.0.113.1", at });
    expect(earlier.status).toBe("ip_limit_reached");
    expect(ruleOf(earlier, "rate_limit_exceeded")).toMatchObject({ passed: null });
    const withoutIp = await explained(license, { at });
    expect(withoutIp).toMatchObject({ status: "active", valid: true });
    expect(ruleOf(withoutIp, "ip_blocked")).toMatchObject({ passed: null, reason: "no_ip_given" });
    for (const wrong of ["198.51.100.0/24", "2001:db8::/48", "localhost", ""]) {
      const { status, body } = await explain(license, { ip: wrong });
      expect([wrong, status, body.errors?.[0]?.code]).toEqual([wrong, 422, "not_an_ip"]);
    }
  });

  test("an explanation does not show a block of the platform in detail", async () => {
    const license = await addLicense(fixture);
    const block = { cidr: "2001:db8:ec5:1::/64", note: "Botnet" };
    const made = await fixture.admin.api.post("/admin/ip-blocks", block);
    const answer = await explained(license, { ip: "2001:db8:ec5:1::7" });
    await fixture.admin.api.delete(`/admin/ip-blocks/${made.body.id}`);
    expect(answer.status).toBe("ip_blocked");
    expect(ruleOf(answer, "ip_blocked")).toMatchObject({
      reason: "blocked_by_platform",
      facts: { ip: "2001:db8:ec5:1::7", level: "platform" },
    });
    expect(JSON.stringify(answer)).not.toMatch(/Botnet|\/64/);
  });

  test("an explanation counts, registers, starts and logs nothing", async () => {
    const license = await addLicense(fixture, { termMs: dayMs, maxIps: 3 });
    const stored = () =>
      Promise.all([
        fixture.stored("licenses", { id: license.id }),
        fixture.stored("license_ips", { license_id: license.id }),
        fixture.stored("daily_usage", { product_id: fixture.productId }),
        fixture.stored("audit_log", { subject_id: license.id }),
      ]);
    const unchanged = await stored();
    for (const from of [ip, "2001:db8:7::1", "2001:db8:8::/64", "192.0.2.77"])
      expect((await explained(license, { ip: from, version: "1.0.0" })).status).toBe("active");
    expect(await stored()).toEqual(unchanged);
    // The log is written later, in order: once this request is in it, an earlier one would be too.
    const marker = await addLicense(fixture);
    await fixture.publicApi.validate({ license_key: marker.key });
    const logged = ({ id }: AddedLicense) => requestLog(fixture.store, { license_id: id });
    await until("the request is logged", async () => (await logged(marker)).length > 0);
    expect(await logged(license)).toEqual([]);
  });

  test("registered IP addresses and notes need licenses:view too", async () => {
    const license = await blockedLicense();
    const as = async (...permissions: Parameters<ManageFixture["member"]>[0]) =>
      explain(license, { ip }, (await fixture.member(permissions)).api);
    expect((await as("licenses:view")).status).toBe(403);
    const limited = await as("requests:view");
    const facts = { cidr: "198.51.100.0/24", note: null };
    expect(ruleOf(limited.body, "ip_blocked")).toMatchObject({ facts });
    expect(limited.text).not.toContain("192.0.2.1");
    const whole = await as("requests:view", "licenses:view");
    for (const shown of ["192.0.2.1", "Reseller"]) expect(whole.text).toContain(shown);
  });
});
