import { describe, expect, test } from "bun:test";
import type { Verdict } from "@countersign/domain/validate/decide";
import fc from "fast-check";
import { countedRequests } from "../../../tests/support/public-api-fixture.ts";
import { newId } from "../../../tests/support/test-organization.ts";
import { registerIp } from "../queries/licenses/create.ts";
import { setVersion } from "../queries/versions/versions.ts";
import { as, ask, recordOf, statusOf, validate, validateAll, verdict, verdictOf } from "./calls.ts";
import { changeRow } from "./changes.ts";
import type { StoreFixture } from "./fixture.ts";

const caller = "198.51.100.20";

/** What a status means for the other members, and which of several wins: packages/domain/validate. */
const changes: [table: Parameters<typeof changeRow>[1], columns: object, status: string, isFound: boolean][] =
  [
    ["licenses", { revoked_at: 1 }, "revoked", true],
    ["licenses", { is_lifetime: 0, expires_at: 1 }, "expired", true],
    ["licenses", { license_key_match: newId() }, "license_not_found", false],
    ["products", { status: "archived" }, "product_archived", true],
    ["products", { status: "disabled" }, "product_disabled", true],
    ["products", { deleted_at: 1 }, "product_not_found", false],
    ["organizations", { suspended_at: 1 }, "org_suspended", true],
    ["organizations", { billing_state: "suspended" }, "billing_suspended", true],
  ];

export function outcomes(fixture: StoreFixture) {
  describe("outcomes", () => {
    test.each(changes)(
      "a change of %s to %j on one node makes the next validation on every node %s and a lookup find it: %p; all count towards the limit",
      async (table, columns, status, isFound) => {
        const org = await fixture.org({ dailyLimit: 6 });
        const there = { ...org, store: await fixture.node() };
        const expiresAtMs = Date.UTC(2100, 0);
        const { id, key } = await org.license({ expiresAtMs });
        const registered = { ipRegistered: true, ipCount: 1, maxIps: 3 };
        const unversioned = { version: null, versionValid: null };
        const valid = { status: "active", expiresAtMs, ...registered, ...unversioned };
        expect(await verdictOf(org, key, { ip: caller, version: "1.0" })).toMatchObject(valid);
        expect(await statusOf(there, key)).toBe("active");
        const { organizationId: organizations, productId: products } = org;
        await changeRow(there.store, table, { licenses: id, organizations, products }[table], columns);
        for (const node of [org, there]) {
          expect(await statusOf(node, key)).toBe(status);
          expect((await recordOf(node, key)) !== null).toBe(isFound);
        }
        // An exhausted limit is reported first.
        expect((await ask(org, key)).tag).toBe("limited");
        expect(await countedRequests(org)).toBe(6);
      },
    );

    test("a key is found regardless of case and spaces, and a body without a key finds none", async () => {
      const org = await fixture.org();
      await org.license({ key: "Straße-7" });
      expect(await statusOf(org, "  straße-7 ")).toBe("active");
      const noKey = { kind: "validate", keyMatch: null, version: null } as const;
      const empty = { ...validate(org.apiKey, ""), question: () => noKey };
      expect((await verdict(org.store, empty)).status).toBe("license_not_found");
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
      const results = await validateAll(org.store, calls);
      const statuses = results.map((one) => as("validated", one).verdict.status);
      expect(statuses).toEqual(strange.flatMap(() => ["license_not_found", "active", "revoked"] as const));
    });

    test("the order of a batch does not affect calls that neither register nor reach the limit", async () => {
      const org = await fixture.org({ settings: { version_module_enabled: 1 } });
      const registered = await org.license({ firstUsedAtMs: 1 });
      const full = await org.license({ maxIps: 1 });
      await org.store.transaction(async (db) => {
        await setVersion(db, org.productId, { version: "1.x", state: "latest" }, 1);
        await registerIp(db, registered.id, caller, 1);
        await registerIp(db, full.id, "192.0.2.1", 1);
      });
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
          const results = await validateAll(org.store, shuffled);
          shuffled.forEach((call, index) => {
            expect(as("validated", results[index]).verdict).toEqual(alone.get(call) as Verdict);
          });
        }),
        { numRuns: 50 },
      );
    });
  });
}
