import { expect, test } from "bun:test";
import { ruleNames } from "@countersign/domain/validate/decide";
import { explain } from "@countersign/domain/validate/explain";
import { addIpBlocks, type BlockScope } from "@countersign/store/queries/ip-blocks/blocks";
import { type NewLicense, registerIp } from "@countersign/store/queries/licenses/create";
import { updateOrganization } from "@countersign/store/queries/organizations/organizations";
import { updateProduct } from "@countersign/store/queries/products/products";
import { setVersion } from "@countersign/store/queries/versions/versions";
import { ask } from "@countersign/store/suite/calls";
import type { OrganizationRow } from "@countersign/store/tables/organizations";
import type { ProductRow } from "@countersign/store/tables/products";
import { type AddedLicense, addLicense } from "../../../../tests/support/add-license.ts";
import { onDatabase } from "../../../../tests/support/query-tests.ts";
import { newId, type TestOrganization } from "../../../../tests/support/test-organization.ts";
import { explainedRequest } from "./explained-request.ts";

/** What a situation changes. Everything else passes. */
interface Situation {
  readonly organization?: Partial<OrganizationRow>;
  readonly product?: Partial<ProductRow>;
  readonly license?: Partial<NewLicense>;
  readonly registered?: readonly string[];
  readonly block?: { readonly cidr: string; readonly level: BlockScope["tier"]; readonly isOver?: boolean };
  readonly keysExpired?: boolean;
  readonly ip?: string;
  readonly version?: string;
}

const [ipv4, ipv6] = ["198.51.100.20", "2001:db8:7::1"];
const full = { license: { maxIps: 1 }, registered: ["192.0.2.1"] };
const expired = { expiresAtMs: 1 };
const below2 = { pin: { mode: "range", min: null, max: "2.0" } } as const;
const checked = { version_module_enabled: 1 } as const;
const firstOnly = { auto_register_scope: "first_only" } as const;
/** Each address of IPv6 counts on its own. */
const each = { ipv6_prefix: 128 } as const;
const ofNetwork = { license: { maxIps: 1 }, registered: ["2001:db8:7::/64"] };

/** One for each status that a license in the management API can get, and one for each setting that avoids it. */
const named: [string, Situation][] = [
  ["invalid_api_key", { keysExpired: true }],
  ["rate_limit_exceeded", { organization: { daily_limit_override: 0 } }],
  ["org_suspended", { organization: { suspended_at: 1 } }],
  ["billing_suspended", { organization: { billing_state: "suspended" } }],
  ["product_archived", { product: { status: "archived" } }],
  ["product_disabled", { product: { status: "disabled" } }],
  ["revoked", { license: { revokedAtMs: 1 } }],
  ["expired", { license: expired }],
  ["active", { license: expired, product: { expiry_enforcement: 0 } }],
  ["ip_blocked", { block: { cidr: "198.51.100.20/32", level: "license" } }],
  ["ip_blocked", { block: { cidr: "2001:db8:7::/48", level: "customer" }, ip: ipv6 }],
  ["ip_blocked", { block: { cidr: "2001:db8::/32", level: "organization" }, ip: ipv6 }],
  ["active", { block: { cidr: "0.0.0.0/0", level: "organization", isOver: true } }],
  ["ip_not_registered", { product: { auto_register_ip_on_validate: 0 } }],
  ["ip_not_registered", { product: firstOnly, license: { maxIps: 2 }, registered: ["192.0.2.1"] }],
  ["active", { product: { auto_register_ip_on_validate: 0 }, registered: [ipv4] }],
  ["ip_limit_reached", full],
  ["active", { ...full, product: { track_ip_on_validate: 0 } }],
  ["active", { license: { maxIps: null }, registered: full.registered }],
  ["active", { ...ofNetwork, product: { ipv6_prefix: 64 }, ip: "2001:db8:7::2" }],
  ["active", { ...ofNetwork, product: each, ip: "2001:db8:7::2" }],
  ["ip_limit_reached", { license: { maxIps: 1 }, registered: [ipv6], product: each, ip: "2001:db8:7::2" }],
  ["version_not_allowed", { product: checked, version: "0.1" }],
  ["version_not_allowed", { product: checked, license: below2, version: "2.0.0" }],
  ["version_not_allowed", { product: checked, version: "?" }],
  ["active", { product: { ...checked, version_enforcement: "report" }, version: "0.1" }],
  ["active", { product: checked, license: below2, version: "1.0.0" }],
  ["active", { version: "0.1" }],
  ["active", {}],
];

onDatabase("sqlite", "explanations", (fixture) => {
  /** A new organization, product and license in this situation. */
  const arrange = async (situation: Situation) => {
    const org = await fixture.organization();
    const { organizationId, productId } = org;
    const customer = { email: `${newId()}@example.com` };
    const license = await addLicense(org, { customer, ...situation.license });
    await fixture.write(async (db) => {
      await setVersion(db, productId, { version: "1.0.x", state: "allowed" }, 1);
      await setVersion(db, productId, { version: "2.0.0", state: "latest" }, 1);
      await setVersion(db, productId, { version: "0.1", state: "blocked" }, 1);
      await updateOrganization(db, organizationId, { updated_at: 1, ...situation.organization });
      await updateProduct(db, productId, { updated_at: 1, ...situation.product });
      const keys = db.updateTable("product_api_keys").set({ expires_at: 1 });
      if (situation.keysExpired === true) await keys.where("product_id", "=", productId).execute();
      for (const [at, ip] of (situation.registered ?? []).entries())
        await registerIp(db, license.id, ip, at + 1);
      if (situation.block === undefined) return;
      const { cidr, level, isOver } = situation.block;
      const ids = { organizationId, customerId: license.customerId ?? "", licenseId: license.id };
      const scope: BlockScope = { tier: level, ...ids };
      const block = { id: newId(), scope, cidr, note: null, expiresAtMs: isOver === true ? 1 : null };
      await addIpBlocks(db, [block], 1);
    });
    return { org, license };
  };
  const explained = async (
    { productId }: TestOrganization,
    { id: licenseId }: AddedLicense,
    { ip = ipv4, version = null }: { readonly ip?: string; readonly version?: string | null },
  ) => {
    const nowMs = Date.now();
    const sent = { ip, version, atMs: nowMs };
    const seen = { nowMs, showsLicense: true };
    const request = await explainedRequest(fixture.store, { productId, licenseId }, sent, seen);
    if (request === null) throw new Error("The product is not there.");
    return explain(request);
  };
  const validated = async (org: TestOrganization, { key }: AddedLicense, situation: Situation) => {
    const { ip = ipv4, version = null } = situation;
    const result = await ask(org, key, { ip, version });
    if (result.tag === "validated") return result.verdict.status;
    return result.tag === "limited" ? "rate_limit_exceeded" : "invalid_api_key";
  };
  test.each(named)("an explanation says %s where a validation does", async (expected, situation) => {
    const { org, license } = await arrange(situation);
    const { status, valid, rules } = await explained(org, license, situation);
    expect<string[]>([status, await validated(org, license, situation)]).toEqual([expected, expected]);
    expect(valid).toBe(status === "active");
    expect(rules.map(({ rule }) => rule)).toEqual([...ruleNames]);
    const refusing = rules.find(({ passed }) => passed === false);
    expect<string>(refusing?.rule ?? "active").toBe(status);
  });
});
