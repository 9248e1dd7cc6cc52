import { describe, expect, test } from "bun:test";
import { newId, type TestOrganization } from "../../../tests/support/test-organization.ts";
import { revokeLicense } from "../queries/licenses/create.ts";
import type { Store } from "../store.ts";
import type { LicenseRow, OrganizationRow, ProductRow } from "../tables.ts";
import { ask } from "./calls.ts";
import { changeLicense, changeOrganization, changeProduct, deleteLicense, expireApiKeys } from "./changes.ts";
import type { StoreFixture } from "./fixture.ts";

type Change = (org: TestOrganization, licenseId: string, store: Store) => Promise<unknown>;
type Settings = Parameters<TestOrganization["license"]>[0];

const license =
  (columns: Partial<LicenseRow>): Change =>
  (_, id, store) =>
    changeLicense(store, id, columns);
const product =
  (columns: Partial<ProductRow>): Change =>
  (org) =>
    changeProduct(org, columns);
const organization =
  (columns: Partial<OrganizationRow>): Change =>
  (org) =>
    changeOrganization(org, columns);

export function nodes(fixture: StoreFixture) {
  describe("a change on one node applies to the next call on another", () => {
    const changes: [what: string, Change, status: string, before?: [status: string, Settings]][] = [
      ["a reinstated license", license({ revoked_at: null }), "active", ["revoked", { revokedAtMs: 1 }]],
      [
        "a revocation",
        (_, id, store) => store.transaction((db) => revokeLicense(db, id, null, 1)),
        "revoked",
      ],
      ["an earlier expiry", license({ is_lifetime: 0, expires_at: 1 }), "expired"],
      ["a deleted license", (_, id, store) => deleteLicense(store, id), "license_not_found"],
      ["a new license key", license({ license_key_match: newId() }), "license_not_found"],
      ["an archived product", product({ status: "archived" }), "product_archived"],
      ["a disabled product", product({ status: "disabled" }), "product_disabled"],
      ["a deleted product", product({ deleted_at: 1 }), "product_not_found"],
      ["a suspended organization", organization({ suspended_at: 1 }), "org_suspended"],
      ["suspended billing", organization({ billing_state: "suspended" }), "billing_suspended"],
      ["a lowered limit", organization({ daily_limit_override: 0 }), "limited"],
      ["a revoked API key", (org) => expireApiKeys(org, 1), "unauthorized"],
    ];
    test.each(changes)("%s", async (_what, change, expected, [before, settings] = ["active", {}]) => {
      const org = await fixture.org();
      const { id, key } = await org.license(settings);
      const other = await fixture.node();
      const answers = async () => {
        const results = [await ask(org, key), await ask(org, key, { on: other })];
        return results.map((one) => (one.tag === "validated" ? one.verdict.status : one.tag));
      };
      expect(await answers()).toEqual([before, before] as never);
      await change({ ...org, store: other }, id, other);
      expect(await answers()).toEqual([expected, expected] as never);
    });
  });
}
