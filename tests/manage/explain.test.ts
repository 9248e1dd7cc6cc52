import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { dayMs } from "@countersign/domain/dates/lengths";
import { type RuleName, ruleNames } from "@countersign/domain/validate/rules";
import { addIpBlocks, type BlockScope } from "@countersign/store/queries/ip-blocks/blocks";
import { type NewLicense, registerIp } from "@countersign/store/queries/licenses/create";
import { setVersion } from "@countersign/store/queries/versions/versions";
import { validate, validateOne } from "@countersign/store/suite/calls";
import type { OrganizationRow, ProductRow } from "@countersign/store/tables";
import fc from "fast-check";
import { type AddedLicense, addLicense } from "../support/add-license.ts";
import { databases } from "../support/databases.ts";
import { type ManageFixture, openSharedManageFixture } from "../support/manage-fixture.ts";
import { newId } from "../support/test-organization.ts";
import { until } from "../support/until.ts";
import { rowsWith } from "../support/whole-database.ts";

setDefaultTimeout(120_000);

const ips = ["198.51.100.20", "2001:db8:7::1", "2001:db8:7::2", "2001:db8:8::1"] as const;

/** What a situation changes. Everything else passes. */
interface Situation {
  readonly organization?: Partial<OrganizationRow>;
  readonly product?: Partial<ProductRow>;
  readonly license?: Partial<NewLicense>;
  readonly registered?: readonly string[];
  readonly block?: { readonly cidr: string; readonly level: BlockScope["tier"]; readonly isOver?: boolean };
  readonly keysExpired?: boolean;
  readonly ip: string;
  readonly version: string | null;
}

const rarely = <T>(...values: T[]) => fc.option(fc.constantFrom(...values), { freq: 4, nil: undefined });
const anySituation: fc.Arbitrary<Situation> = fc
  .record({
    organization: fc.oneof(
      { weight: 8, arbitrary: fc.constant({}) },
      fc.constantFrom<Partial<OrganizationRow>>(
        { suspended_at: 1 },
        { billing_state: "suspended" },
        { billing_state: "cancelled", had_version_module: 1 },
        { daily_limit_override: 0 },
      ),
    ),
    product: fc.record({
      status: fc.constantFrom<ProductRow["status"]>("active", "active", "active", "archived", "disabled"),
      expiry_enforcement: fc.constantFrom<0 | 1>(0, 1),
      track_ip_on_validate: fc.constantFrom<0 | 1>(0, 1, 1),
      auto_register_ip_on_validate: fc.constantFrom<0 | 1>(0, 1, 1),
      auto_register_scope: fc.constantFrom<ProductRow["auto_register_scope"]>("until_limit", "first_only"),
      version_module_enabled: fc.constantFrom<0 | 1>(0, 1),
      version_enforcement: fc.constantFrom<ProductRow["version_enforcement"]>("enforce", "report"),
      ipv6_prefix: fc.constantFrom<64 | 128>(64, 128),
    }),
    license: fc.record({
      maxIps: fc.constantFrom(1, 2, null),
      revokedAtMs: rarely(1),
      expiresAtMs: fc.constantFrom(null, Date.UTC(2020, 0), Date.UTC(2100, 0)),
      pin: fc.constantFrom<NonNullable<NewLicense["pin"]> | null>(null, null, {
        mode: "range",
        min: null,
        max: "2.0",
      }),
    }),
    registered: fc.subarray([ips[0], "2001:db8:7::/64", "2001:db8:7::1", "192.0.2.1"], { maxLength: 2 }),
    block: rarely<NonNullable<Situation["block"]>>(
      { cidr: "198.51.100.0/24", level: "license" },
      { cidr: "2001:db8:7::/48", level: "customer" },
      { cidr: "2001:db8::/32", level: "organization" },
      { cidr: "0.0.0.0/0", level: "organization", isOver: true },
    ),
    keysExpired: fc.constantFrom(...Array(15).fill(false), true),
    ip: fc.constantFrom(...ips),
    version: fc.constantFrom(null, "1.0.0", "2.0.0", "0.1", "?"),
  })
  .map(({ block, license: { revokedAtMs, ...license }, ...situation }) => ({
    ...situation,
    license: revokedAtMs === undefined ? license : { ...license, revokedAtMs },
    ...(block === undefined ? {} : { block }),
  }));

/** One for each status that a license in the management API can get, so that none depends on chance. */
const named: [string, Omit<Situation, "ip" | "version"> & { readonly version?: string }][] = [
  ["invalid_api_key", { keysExpired: true }],
  ["rate_limit_exceeded", { organization: { daily_limit_override: 0 } }],
  ["org_suspended", { organization: { suspended_at: 1 } }],
  ["billing_suspended", { organization: { billing_state: "suspended" } }],
  ["product_archived", { product: { status: "archived" } }],
  ["product_disabled", { product: { status: "disabled" } }],
  ["revoked", { license: { revokedAtMs: 1 } }],
  ["expired", { license: { expiresAtMs: 1 } }],
  ["ip_blocked", { block: { cidr: "198.51.100.20/32", level: "license" } }],
  ["ip_not_registered", { product: { auto_register_ip_on_validate: 0 } }],
  ["ip_limit_reached", { license: { maxIps: 1 }, registered: ["192.0.2.1"] }],
  ["version_not_allowed", { product: { version_module_enabled: 1 }, version: "0.1" }],
  ["active", {}],
];

describe.each(databases)("explain on $kind", ({ make }) => {
  let fixture: ManageFixture;
  let before: { organization: OrganizationRow; product: ProductRow };
  beforeAll(async () => {
    fixture = await openSharedManageFixture(make);
    const { reads } = fixture.store;
    await fixture.store.transaction(async (db) => {
      await db
        .updateTable("organizations")
        .set({ plan: "enterprise" })
        .where("id", "=", fixture.organizationId)
        .execute();
      await setVersion(db, fixture.productId, { version: "1.0.x", state: "allowed" }, 1);
      await setVersion(db, fixture.productId, { version: "2.0.0", state: "latest" }, 1);
      await setVersion(db, fixture.productId, { version: "0.1", state: "blocked" }, 1);
    });
    before = {
      organization: await reads
        .selectFrom("organizations")
        .selectAll()
        .where("id", "=", fixture.organizationId)
        .executeTakeFirstOrThrow(),
      product: await reads
        .selectFrom("products")
        .selectAll()
        .where("id", "=", fixture.productId)
        .executeTakeFirstOrThrow(),
    };
  });
  afterAll(() => fixture.close());

  const explained = async (license: AddedLicense, body: object) => {
    const { status, body: answer } = await fixture.owner.api.post(`/licenses/${license.id}/explain`, body);
    expect([status, answer.code]).toEqual([200, undefined]);
    return answer;
  };
  const ruleOf = (answer: { rules: { rule: RuleName }[] }, name: RuleName) =>
    answer.rules.find(({ rule }) => rule === name);

  /** Puts everything into this state, without the API. */
  const set = async (situation: Situation): Promise<AddedLicense> => {
    const { organizationId, productId, store } = fixture;
    const customer = { email: `${newId()}@example.com` };
    const license = await addLicense(fixture, { customer, ...situation.license });
    await store.transaction(async (db) => {
      const { suspended_at, billing_state, daily_limit_override, had_version_module } = {
        ...before.organization,
        ...situation.organization,
      };
      await db
        .updateTable("organizations")
        .set({ suspended_at, billing_state, daily_limit_override, had_version_module })
        .where("id", "=", organizationId)
        .execute();
      const { id: _, versions_revision: __, ...product } = { ...before.product, ...situation.product };
      await db.updateTable("products").set(product).where("id", "=", productId).execute();
      await db
        .updateTable("product_api_keys")
        .set({ expires_at: situation.keysExpired === true ? 1 : null })
        .where("product_id", "=", productId)
        .execute();
      for (const [at, ip] of (situation.registered ?? []).entries())
        await registerIp(db, license.id, ip, at + 1);
      const { block } = situation;
      if (block === undefined) return;
      const scope = scopeOf(block.level, license);
      const { cidr } = block;
      const expiresAtMs = block.isOver === true ? 1 : null;
      await addIpBlocks(db, [{ id: newId(), scope, cidr, note: "Reseller", expiresAtMs }], 1);
    });
    return license;
  };
  const scopeOf = (level: BlockScope["tier"], license: AddedLicense): BlockScope => {
    const { organizationId } = fixture;
    if (level === "license") return { tier: level, organizationId, licenseId: license.id };
    if (level === "customer") return { tier: level, organizationId, customerId: license.customerId ?? "" };
    return { tier: "organization", organizationId };
  };
  const unblock = () =>
    fixture.store.transaction(async (db) => {
      await db.deleteFrom("ip_blocks").where("organization_id", "=", fixture.organizationId).execute();
      await db
        .updateTable("organizations")
        .set((row) => ({ ip_blocks_revision: row("ip_blocks_revision", "+", 1), customer_block_count: 0 }))
        .where("id", "=", fixture.organizationId)
        .execute();
    });
  const validated = async (license: AddedLicense, { ip, version }: Situation): Promise<string> => {
    const result = await validateOne(fixture.store, validate(fixture.apiKey, license.key, { ip, version }));
    switch (result.tag) {
      case "validated":
        return result.verdict.status;
      case "limited":
        return "rate_limit_exceeded";
      default:
        return result.tag === "unauthorized" ? "invalid_api_key" : result.tag;
    }
  };
  const compare = async (situation: Situation) => {
    const license = await set(situation);
    const { ip, version } = situation;
    const answer = await explained(license, { ip, ...(version === null ? {} : { version }) });
    const status = await validated(license, situation);
    expect({ situation, status: answer.status }).toEqual({ situation, status });
    expect(answer.valid).toBe(status === "active");
    const refusing = answer.rules.find((rule: { passed: boolean | null }) => rule.passed === false);
    expect(refusing?.rule ?? "active").toBe(status);
    await unblock();
    return status;
  };

  test.each(named)("says %s where a validation does", async (status, situation) => {
    expect(await compare({ ip: ips[0], version: null, ...situation })).toBe(status);
  });

  test("says what a validation says in any situation", async () => {
    for (const situation of fc.sample(anySituation, { numRuns: 150, seed: 18 })) await compare(situation);
  });

  test("shows every rule in order, with the facts that a seller needs", async () => {
    const license = await set({
      license: { expiresAtMs: Date.UTC(2020, 0), maxIps: 1 },
      registered: ["192.0.2.1"],
      block: { cidr: "198.51.100.0/24", level: "organization" },
      ip: ips[0],
      version: null,
    });
    const answer = await explained(license, { ip: ips[0] });
    expect(answer.rules.map(({ rule }: { rule: string }) => rule)).toEqual([...ruleNames]);
    expect(answer.status).toBe("expired");
    expect(ruleOf(answer, "expired")).toMatchObject({
      passed: false,
      reason: "expired",
      facts: { expires_at: "2020-01-01T00:00:00.000Z" },
      message: "The license expired at 2020-01-01T00:00:00.000Z.",
    });
    expect(ruleOf(answer, "ip_blocked")).toMatchObject({
      passed: false,
      facts: { cidr: "198.51.100.0/24", level: "organization", note: "Reseller", ip: ips[0] },
    });
    expect(ruleOf(answer, "ip_limit_reached")).toMatchObject({
      passed: false,
      facts: { registered: 1, max_ips: 1, ip_registered: false, registered_ips: ["192.0.2.1"] },
    });
    expect(ruleOf(answer, "invalid_api_key")).toMatchObject({
      facts: { api_keys: [fixture.apiKey.slice(0, 12)] },
    });
    await unblock();

    const earlier = await explained(license, { ip: ips[0], at: "2019-12-31T23:59:59Z" });
    expect(earlier.status).toBe("ip_limit_reached");
    expect(ruleOf(earlier, "rate_limit_exceeded")).toMatchObject({ passed: null });
    const withoutIp = await explained(license, { at: "2019-12-31T23:59:59Z" });
    expect([withoutIp.status, withoutIp.valid]).toEqual(["active", true]);
    expect(ruleOf(withoutIp, "ip_blocked")).toMatchObject({ passed: null, reason: "no_ip_given" });
  });

  test("accepts the /64 of a logged request, and refuses what is no IP address", async () => {
    const network = "2001:db8:7::/64";
    const license = await set({ license: { maxIps: 1 }, registered: [network], ip: ips[1], version: null });
    expect((await explained(license, { ip: network })).status).toBe("active");
    expect((await explained(license, { ip: "2001:db8:8::/64" })).status).toBe("ip_limit_reached");
    for (const ip of ["198.51.100.0/24", "2001:db8::/48", "localhost", ""]) {
      const { status, body } = await fixture.owner.api.post(`/licenses/${license.id}/explain`, { ip });
      expect([ip, status, body.errors?.[0]?.code]).toEqual([ip, 422, "not_an_ip"]);
    }
  });

  test("a block of the platform is not shown in detail", async () => {
    const cidr = "2001:db8:ec5:1::/64";
    const license = await set({ ip: ips[0], version: null });
    const made = await fixture.admin.api.post("/admin/ip-blocks", { cidr, note: "Botnet" });
    expect(made.status).toBe(201);
    const answer = await explained(license, { ip: "2001:db8:ec5:1::7" });
    await fixture.admin.api.delete(`/admin/ip-blocks/${made.body.id}`);
    expect(answer.status).toBe("ip_blocked");
    expect(ruleOf(answer, "ip_blocked")).toMatchObject({
      reason: "blocked_by_platform",
      facts: { ip: "2001:db8:ec5:1::7", level: "platform" },
    });
    expect(JSON.stringify(answer)).not.toMatch(/Botnet|\/64/);
  });

  test("counts, registers, starts and logs nothing", async () => {
    const license = await set({
      license: { termMs: dayMs, maxIps: 3 },
      ip: ips[0],
      version: null,
    });
    const used = async () =>
      await fixture.store.reads
        .selectFrom("daily_usage")
        .selectAll()
        .where("product_id", "=", fixture.productId)
        .execute();
    const stored = async () => [await rowsWith(fixture.store, license.id), await used()];
    const unchanged = await stored();
    for (const ip of [...ips, "192.0.2.77"]) {
      expect((await explained(license, { ip, version: "1.0.0" })).status).toBe("active");
    }
    expect(await stored()).toEqual(unchanged);
    // The log is written later, in order: once this request is in it, an earlier one would be too.
    const marker = await addLicense(fixture);
    await fixture.publicApi.validate({ license_key: marker.key });
    await until(
      "the request is logged",
      async () => "ip_sightings" in (await rowsWith(fixture.store, marker.id)),
    );
    expect(Object.keys(await rowsWith(fixture.store, license.id))).toEqual(
      Object.keys(unchanged[0] as object),
    );
    expect(await validated(license, { ip: ips[0], version: null })).toBe("active");
  });

  test("needs requests:view; registered IP addresses and notes need licenses:view too", async () => {
    const license = await set({
      license: { maxIps: 2 },
      registered: ["192.0.2.1"],
      block: { cidr: "198.51.100.0/24", level: "license" },
      ip: ips[0],
      version: null,
    });
    const path = `/licenses/${license.id}/explain`;
    expect((await (await fixture.member(["licenses:view"])).api.post(path, {})).status).toBe(403);
    const limited = await (await fixture.member(["requests:view"])).api.post(path, { ip: ips[0] });
    expect(limited.status).toBe(200);
    expect(ruleOf(limited.body, "ip_blocked")).toMatchObject({
      facts: { cidr: "198.51.100.0/24", note: null },
    });
    expect(limited.text).not.toContain("192.0.2.1");
    const whole = await (await fixture.member(["requests:view", "licenses:view"])).api.post(path, {
      ip: ips[0],
    });
    expect(whole.text).toContain("192.0.2.1");
    expect(whole.text).toContain("Reseller");
    await unblock();
  });
});
