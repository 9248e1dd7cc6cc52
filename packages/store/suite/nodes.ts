import { describe, expect, test } from "bun:test";
import type { Seller } from "../../../tests/support/seller.ts";
import { revokeLicense } from "../queries/licenses.ts";
import type { Store } from "../store.ts";
import { as, judgeOne, validate } from "./calls.ts";
import { changeLicense, changeOrganization, changeProduct, deleteLicense } from "./changes.ts";
import type { Stage } from "./stage.ts";

type Change = (seller: Seller, licenseId: string, store: Store) => Promise<unknown>;

export function nodes(stage: Stage) {
  describe("what one node changes holds for the next call on another", () => {
    const changes: [what: string, Change, status: string][] = [
      ["a revoke", (_, id, store) => store.transaction((db) => revokeLicense(db, id, null, 1)), "revoked"],
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
      ["an archived product", (seller) => changeProduct(seller, { status: "archived" }), "product_archived"],
      ["a disabled product", (seller) => changeProduct(seller, { status: "disabled" }), "product_disabled"],
      ["a deleted product", (seller) => changeProduct(seller, { deleted_at: 1 }), "product_not_found"],
      [
        "a suspended organization",
        (seller) => changeOrganization(seller, { suspended_at: 1 }),
        "org_suspended",
      ],
      [
        "suspended billing",
        (seller) => changeOrganization(seller, { billing_state: "suspended" }),
        "billing_suspended",
      ],
      ["a lowered limit", (seller) => changeOrganization(seller, { daily_limit_override: 0 }), "limited"],
      [
        "a key that was ended",
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

    test.each(changes)("%s", async (_what, change, expected) => {
      const seller = await stage.seller();
      const { id, key } = await seller.license();
      const other = await stage.node();
      const told = async (store: Store): Promise<string> => {
        const judged = await judgeOne(store, validate(seller.apiKey, key));
        return judged.tag === "validated" ? judged.verdict.status : judged.tag;
      };
      expect([await told(seller.store), await told(other)]).toEqual(["active", "active"]);
      await change({ ...seller, store: other }, id, other);
      expect([await told(seller.store), await told(other)]).toEqual([expected, expected]);
    });

    test("a reinstated license", async () => {
      const seller = await stage.seller();
      const { id, key } = await seller.license({ revokedAtMs: 1 });
      const other = await stage.node();
      const status = async () =>
        as("validated", await judgeOne(other, validate(seller.apiKey, key))).verdict.status;
      expect(await status()).toBe("revoked");
      await changeLicense(seller.store, id, { revoked_at: null });
      expect(await status()).toBe("active");
    });

    test("a revoke is kept with its first time and reason", async () => {
      const seller = await stage.seller();
      const { id } = await seller.license();
      await seller.store.transaction((db) => revokeLicense(db, id, "refund", 5));
      await seller.store.transaction((db) => revokeLicense(db, id, "again", 9));
      const row = await seller.store.reads
        .selectFrom("licenses")
        .select(["revoked_at", "revoked_reason"])
        .where("id", "=", id)
        .executeTakeFirstOrThrow();
      expect(row).toMatchObject({ revoked_at: 5, revoked_reason: "refund" });
    });
  });
}
