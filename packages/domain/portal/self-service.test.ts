import { expect, test } from "bun:test";
import {
  canRequestTransfer,
  ipRemovalRefusal,
  keyRotationRefusal,
  type SelfServiceFacts,
} from "./self-service.ts";

const offers = { ipRemovals: 3, keyRotation: true, transfers: "review", hasPendingTransfer: false } as const;
const states = { license: "active", product: "active", sellerIsSuspended: false } as const;
const everything: SelfServiceFacts = { ...states, ...offers };

const cases: [
  name: string,
  change: Partial<SelfServiceFacts>,
  removal: ReturnType<typeof ipRemovalRefusal>,
  rotation: ReturnType<typeof keyRotationRefusal>,
  transfer: boolean,
][] = [
  ["everything is on", {}, null, null, true],
  ["removals are off", { ipRemovals: 0 }, "self_service_off", null, true],
  ["key rotation is off", { keyRotation: false }, null, "self_service_off", true],
  ["transfers are off", { transfers: "off" }, null, null, false],
  ["a transfer is pending", { hasPendingTransfer: true }, null, null, false],
  ["the license is expired", { license: "expired" }, null, "license_is_expired", true],
  ["the license is revoked", { license: "revoked" }, "license_is_revoked", "license_is_revoked", false],
  ["the product is disabled", { product: "disabled" }, "product_not_active", "product_not_active", false],
  ["the product is archived", { product: "archived" }, "product_not_active", "product_not_active", false],
  ["the seller is suspended", { sellerIsSuspended: true }, "seller_suspended", "seller_suspended", false],
];
test.each(cases)("it is decided what customers can do if %s", (_, change, removal, rotation, transfer) => {
  const facts = { ...everything, ...change };
  const found = [ipRemovalRefusal(facts), keyRotationRefusal(facts), canRequestTransfer(facts)];
  expect(found).toEqual([removal, rotation, transfer]);
});
