import { describe, expect, test } from "bun:test";
import type { TestOrganization } from "../../../tests/support/test-organization.ts";
import { revokeLicense } from "../queries/licenses/create.ts";
import type { Store } from "../store.ts";
import { validate, validateOne } from "./calls.ts";
import { changeLicense, changeOrganization, changeProduct, deleteLicense } from "./changes.ts";
import type { StoreFixture } from "./fixture.ts";

type Change = (org: TestOrganization, licenseId: string, store: Store) => Promise<unknown>;
type Settings = Parameters<TestOrganization["license"]>[0];

export function nodes(fixture: StoreFixture) {
  describe("a change on one node applies to the next call on another", () => {
    const changes: [what: string, Change, status: string, before?: [status: string, Settings]][] = [
      [
        "a reinstated license",
        (_, id, store) => changeLicense(store, id, { revoked_at: null }),
        "active",
        ["revoked", { revokedAtMs: 1 }],
      ],
      [
        "a revocation",
        (_, id, store) => store.transaction((db) => revokeLicense(db, id, null, 1)),
        "revoked",
      ],
      [
        "an earlier expiry",
        (_, id, store) => changeLicense(store, id, { is_lifetime: 0, expires_at: 1 }),
        "expired",
      ],
      ["a deleted license", (_, id, store) => deleteLicense(store, id), "license_not_found"],
      [
        "a new license key",
        (_, id, store) => changeLicense(store, id, { license_key_match: id }),
        "license_not_found",
      ],
      ["an archived product", (org) => changeProduct(org, { status: "archived" }), "product_archived"],
      ["a disabled product", (org) => changeProduct(org, { status: "disabled" }), "product_disabled"],
      ["a deleted product", (org) => changeProduct(org, { deleted_at: 1 }), "product_not_found"],
      ["a suspended organization", (org) => changeOrganization(org, { suspended_at: 1 }), "org_suspended"],
      [
        "suspended billing",
        (org) => changeOrganization(org, { billing_state: "suspended" }),
        "billing_suspended",
      ],
      ["a lowered limit", (org) => changeOrganization(org, { daily_limit_override: 0 }), "limited"],
      [
        "a revoked API key",
        ({ productId }, _, store) =>
          store.transaction((db) =>
            db
              .updateTable("product_api_keys")
              .set({ expires_at: 1 })
              .where("product_id", "=", productId)
              .execute(),
          ),
        "unauthorized",
      ],
    ];

    test.each(changes)("%s", async (_what, change, expected, [before, settings] = ["active", {}]) => {
      const org = await fixture.org();
      const { id, key } = await org.license(settings);
      const other = await fixture.node();
      const answer = async (store: Store): Promise<string> => {
        const results = await validateOne(store, validate(org.apiKey, key));
        return results.tag === "validated" ? results.verdict.status : results.tag;
      };
      expect([await answer(org.store), await answer(other)]).toEqual([before, before]);
      await change({ ...org, store: other }, id, other);
      expect([await answer(org.store), await answer(other)]).toEqual([expected, expected]);
    });
  });
}
