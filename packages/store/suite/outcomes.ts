import { describe, expect, test } from "bun:test";
import type { Verdict } from "@countersign/domain/validate/decide";
import type { Outcome } from "@countersign/domain/validate/status";
import fc from "fast-check";
import { newId, type Seller } from "../../../tests/support/seller.ts";
import { addIpBlocks } from "../queries/ip-blocks.ts";
import { registerIp } from "../queries/licenses.ts";
import { setVersion } from "../queries/versions.ts";
import type { OrganizationRow, ProductRow } from "../tables.ts";
import { as, validate, verdict } from "./calls.ts";
import { changeOrganization, changeProduct } from "./changes.ts";
import type { Stage } from "./stage.ts";

const caller = "198.51.100.20";
const expiresAtMs = Date.UTC(2100, 0);
const nothingTold: Partial<Verdict> = { expiresAtMs: null, ipCount: null, maxIps: null, ipRegistered: null };

interface Case {
  readonly organization?: Partial<OrganizationRow>;
  readonly product?: Partial<ProductRow>;
  /** Null when the key names none. */
  readonly license?: Parameters<Seller["license"]>[0] | null;
  readonly blockedIp?: string;
  readonly registeredIp?: string;
}

const rows: [Outcome, Case, told: Partial<Verdict>][] = [
  ["product_not_found", { product: { deleted_at: 1 } }, nothingTold],
  ["org_suspended", { organization: { suspended_at: 1 } }, nothingTold],
  ["billing_suspended", { organization: { billing_state: "suspended" } }, nothingTold],
  ["product_archived", { product: { status: "archived" } }, nothingTold],
  ["product_disabled", { product: { status: "disabled" } }, nothingTold],
  ["license_not_found", { license: null }, nothingTold],
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

export function outcomes(stage: Stage) {
  describe("outcomes", () => {
    test.each(rows)("%s", async (status, one, told) => {
      const seller = await stage.seller();
      const key = await arrange(seller, one);
      const call = validate(seller.apiKey, key, { ip: caller, version: "1.0" });
      expect(await verdict(seller.store, call)).toMatchObject({ status, ...told });
    });

    test("a key is found however it is cased and spaced, and no key is found for a body without one", async () => {
      const { store, apiKey, license } = await stage.seller();
      await license({ key: "Straße-7" });
      expect((await verdict(store, validate(apiKey, "  straße-7 "))).status).toBe("active");
      const empty = { ...validate(apiKey, ""), question: () => ({ ...noKey }) };
      expect((await verdict(store, empty)).status).toBe("license_not_found");
    });

    test("a license whose IP system is off tells nothing of addresses", async () => {
      const { store, apiKey, license } = await stage.seller();
      const { key } = await license({ maxIps: null });
      expect(await verdict(store, validate(apiKey, key))).toMatchObject({
        status: "active",
        ipRegistered: null,
        ipCount: null,
        maxIps: null,
      });
    });

    test("an expired license is valid where the product does not enforce expiry", async () => {
      const { store, apiKey, license } = await stage.seller({ settings: { expiry_enforcement: 0 } });
      const { key } = await license({ expiresAtMs: 1 });
      expect(await verdict(store, validate(apiKey, key))).toMatchObject({ status: "active", expiresAtMs: 1 });
    });

    test("a strange key in a batch changes nothing for the others in it", async () => {
      const seller = await stage.seller();
      const { key } = await seller.license();
      const revoked = await seller.license({ revokedAtMs: 1 });
      const strange = ["", "A\x1fB", "\x1f", "{a,b}", '"', "\\", "NULL", "é\u{1F511}"];
      const calls = strange
        .flatMap((odd) => [odd, key, revoked.key])
        .map((sent) => validate(seller.apiKey, sent));
      const judged = await seller.store.judge(calls);
      const told = judged.map((one) => as("validated", one).verdict.status);
      expect(told).toEqual(strange.flatMap(() => ["license_not_found", "active", "revoked"] as const));
    });

    test("the order of a batch changes nothing for calls that neither register nor reach the limit", async () => {
      const seller = await stage.seller({ settings: { version_module_enabled: 1 } });
      await seller.store.transaction((db) =>
        setVersion(db, seller.productId, { version: "1.x", state: "latest" }, 1),
      );
      const registered = await seller.license({ firstUsedAtMs: 1 });
      await seller.store.transaction((db) => registerIp(db, registered.id, caller, 1));
      const full = await seller.license({ maxIps: 1 });
      await seller.store.transaction((db) => registerIp(db, full.id, "192.0.2.1", 1));
      const keys = [
        registered.key,
        full.key,
        (await seller.license({ revokedAtMs: 1 })).key,
        (await seller.license({ expiresAtMs: 1 })).key,
        (await seller.license({ maxIps: null, firstUsedAtMs: 1 })).key,
        "UNKNOWN",
      ];
      const calls = keys.flatMap((key) =>
        ["1.2", "9.9", null].map((version) => validate(seller.apiKey, key, { ip: caller, version })),
      );
      const alone = new Map<object, Verdict>();
      for (const call of calls) alone.set(call, await verdict(seller.store, call));
      const order = fc.shuffledSubarray(calls, { minLength: 2 });
      await fc.assert(
        fc.asyncProperty(order, async (shuffled) => {
          const judged = await seller.store.judge(shuffled);
          shuffled.forEach((call, index) => {
            expect(as("validated", judged[index]).verdict).toEqual(alone.get(call) as Verdict);
          });
        }),
        { numRuns: 50 },
      );
    });
  });
}

const noKey = { kind: "validate", keyMatch: null, version: null } as const;

/** Brings the case about and returns the key to send. */
async function arrange(seller: Seller, one: Case): Promise<string> {
  const { store, organizationId } = seller;
  if (one.organization !== undefined) await changeOrganization(seller, one.organization);
  if (one.product !== undefined) await changeProduct(seller, one.product);
  if (one.blockedIp !== undefined) {
    const scope = { tier: "organization", organizationId } as const;
    const block = { id: newId(), scope, cidr: one.blockedIp, note: null, expiresAtMs: null };
    await store.transaction((db) => addIpBlocks(db, [block], 1));
  }
  if (one.license === null) return "UNKNOWN";
  const { id, key } = await seller.license({ expiresAtMs, ...one.license });
  const { registeredIp } = one;
  if (registeredIp !== undefined) await store.transaction((db) => registerIp(db, id, registeredIp, 1));
  return key;
}
