import { describe, expect, test } from "bun:test";
import type { Verdict } from "@countersign/domain/validate/decide";
import type { Outcome } from "@countersign/domain/validate/status";
import fc from "fast-check";
import { newId, type TestOrganization } from "../../../tests/support/test-organization.ts";
import { addIpBlocks } from "../queries/ip-blocks/blocks.ts";
import { registerIp } from "../queries/licenses/create.ts";
import { setVersion } from "../queries/versions/versions.ts";
import type { OrganizationRow, ProductRow } from "../tables.ts";
import { as, statusOf, validate, verdict, verdictOf } from "./calls.ts";
import { changeOrganization, changeProduct } from "./changes.ts";
import type { StoreFixture } from "./fixture.ts";

const caller = "198.51.100.20";
const expiresAtMs = Date.UTC(2100, 0);
const noDetails: Partial<Verdict> = { expiresAtMs: null, ipCount: null, maxIps: null, ipRegistered: null };

interface Case {
  readonly organization?: Partial<OrganizationRow>;
  readonly product?: Partial<ProductRow>;
  /** Null if the key matches no license. */
  readonly license?: Parameters<TestOrganization["license"]>[0] | null;
  readonly blockedIp?: string;
  readonly registeredIp?: string;
}

const rows: [Outcome, Case, expected: Partial<Verdict>][] = [
  ["product_not_found", { product: { deleted_at: 1 } }, noDetails],
  ["org_suspended", { organization: { suspended_at: 1 } }, noDetails],
  ["billing_suspended", { organization: { billing_state: "suspended" } }, noDetails],
  ["product_archived", { product: { status: "archived" } }, noDetails],
  ["product_disabled", { product: { status: "disabled" } }, noDetails],
  ["license_not_found", { license: null }, noDetails],
  ["revoked", { license: { revokedAtMs: 1 } }, { expiresAtMs, ipRegistered: null, ipCount: 0, maxIps: 3 }],
  ["expired", { license: { expiresAtMs: 1 } }, { expiresAtMs: 1, ipRegistered: null, ipCount: 0, maxIps: 3 }],
  ["ip_blocked", { blockedIp: caller }, { ipRegistered: false, ipCount: 0 }],
  [
    "ip_not_registered",
    { product: { auto_register_ip_on_validate: 0 } },
    { ipRegistered: false, ipCount: 0 },
  ],
  [
    "ip_limit_reached",
    { license: { maxIps: 1 }, registeredIp: "192.0.2.1" },
    { ipRegistered: false, ipCount: 1 },
  ],
  [
    "version_not_allowed",
    { product: { version_module_enabled: 1 } },
    { versionValid: false, ipRegistered: false },
  ],
  [
    "active",
    {},
    { ipRegistered: true, ipCount: 1, maxIps: 3, expiresAtMs, version: null, versionValid: null },
  ],
];

export function outcomes(fixture: StoreFixture) {
  describe("outcomes", () => {
    test.each(rows)("%s", async (status, one, expected) => {
      const org = await fixture.org();
      const key = await arrange(org, one);
      expect(await verdictOf(org, key, { ip: caller, version: "1.0" })).toMatchObject({
        status,
        ...expected,
      });
    });

    test("a key is found regardless of case and spaces, and a body without a key finds none", async () => {
      const org = await fixture.org();
      await org.license({ key: "Straße-7" });
      expect(await statusOf(org, "  straße-7 ")).toBe("active");
      const empty = { ...validate(org.apiKey, ""), question: () => ({ ...noKey }) };
      expect((await verdict(org.store, empty)).status).toBe("license_not_found");
    });

    test("a license without IP tracking returns no IP members", async () => {
      const org = await fixture.org();
      const { key } = await org.license({ maxIps: null });
      const none = { ipRegistered: null, ipCount: null, maxIps: null };
      expect(await verdictOf(org, key)).toMatchObject({ status: "active", ...none });
    });

    test("an expired license is valid if the product does not enforce expiry", async () => {
      const org = await fixture.org({ settings: { expiry_enforcement: 0 } });
      const { key } = await org.license({ expiresAtMs: 1 });
      expect(await verdictOf(org, key)).toMatchObject({ status: "active", expiresAtMs: 1 });
    });

    test("an unknown key in a batch does not affect the other calls", async () => {
      const org = await fixture.org();
      const { key } = await org.license();
      const revoked = await org.license({ revokedAtMs: 1 });
      const strange = ["", "A\x1fB", "\x1f", "{a,b}", '"', "\\", "NULL", "é\u{1F511}"];
      const calls = strange
        .flatMap((odd) => [odd, key, revoked.key])
        .map((sent) => validate(org.apiKey, sent));
      const results = await org.store.validateBatch(calls);
      const expected = results.map((one) => as("validated", one).verdict.status);
      expect(expected).toEqual(strange.flatMap(() => ["license_not_found", "active", "revoked"] as const));
    });

    test("the order of a batch does not affect calls that neither register nor reach the limit", async () => {
      const org = await fixture.org({ settings: { version_module_enabled: 1 } });
      await org.store.transaction((db) =>
        setVersion(db, org.productId, { version: "1.x", state: "latest" }, 1),
      );
      const registered = await org.license({ firstUsedAtMs: 1 });
      await org.store.transaction((db) => registerIp(db, registered.id, caller, 1));
      const full = await org.license({ maxIps: 1 });
      await org.store.transaction((db) => registerIp(db, full.id, "192.0.2.1", 1));
      const keys = [
        registered.key,
        full.key,
        (await org.license({ revokedAtMs: 1 })).key,
        (await org.license({ expiresAtMs: 1 })).key,
        (await org.license({ maxIps: null, firstUsedAtMs: 1 })).key,
        "UNKNOWN",
      ];
      const calls = keys.flatMap((key) =>
        ["1.2", "9.9", null].map((version) => validate(org.apiKey, key, { ip: caller, version })),
      );
      const alone = new Map<object, Verdict>();
      for (const call of calls) alone.set(call, await verdict(org.store, call));
      const order = fc.shuffledSubarray(calls, { minLength: 2 });
      await fc.assert(
        fc.asyncProperty(order, async (shuffled) => {
          const results = await org.store.validateBatch(shuffled);
          shuffled.forEach((call, index) => {
            expect(as("validated", results[index]).verdict).toEqual(alone.get(call) as Verdict);
          });
        }),
        { numRuns: 50 },
      );
    });
  });
}

const noKey = { kind: "validate", keyMatch: null, version: null } as const;

/** Creates the case and returns the key to send. */
async function arrange(org: TestOrganization, one: Case): Promise<string> {
  const { store, organizationId } = org;
  if (one.organization !== undefined) await changeOrganization(org, one.organization);
  if (one.product !== undefined) await changeProduct(org, one.product);
  if (one.blockedIp !== undefined) {
    const scope = { tier: "organization", organizationId } as const;
    const block = { id: newId(), scope, cidr: one.blockedIp, note: null, expiresAtMs: null };
    await store.transaction((db) => addIpBlocks(db, [block], 1));
  }
  if (one.license === null) return "UNKNOWN";
  const { id, key } = await org.license({ expiresAtMs, ...one.license });
  const { registeredIp } = one;
  if (registeredIp !== undefined) await store.transaction((db) => registerIp(db, id, registeredIp, 1));
  return key;
}
