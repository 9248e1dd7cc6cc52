import { describe, expect, test } from "bun:test";
import { type Remedy, remedyOf } from "./remedy.ts";

type Facts = Parameters<typeof remedyOf>[0];
type Refusal = Facts["refusals"][number];

const here = "203.0.113.24";
const nowMs = Date.parse("2026-11-18T00:00:00.000Z");
const elsewhere = "198.51.100.99";

const unseen = { registered_at: "", first_seen_at: null, last_seen_at: null, device_ids: [] };
const full: Partial<Facts> = { max_ips: 1 };
const working: Facts = {
  seller: seller(false),
  product: product("active"),
  status: "active",
  renewal_url: "https://shop.example.com/",
  ip_system_enabled: true,
  max_ips: 2,
  current_unique_ip_count: 1,
  your_ip: here,
  ips: [{ ...unseen, ip: here, is_you: true }],
  refusals: [],
  self_service: offers(true),
};

describe("remedies", () => {
  const off = product("disabled");
  const limitReached = { refusals: [refusal("ip_limit_reached")] };
  const registeredByNow = { refusals: [refusal("ip_limit_reached", here)] };
  const notRegistered = { refusals: [refusal("ip_not_registered")] };
  const blockedToo = [refusal("ip_limit_reached"), refusal("ip_blocked")];
  const ipsFull = (canRemove: boolean): Remedy => ({ kind: "ips_full", ip: elsewhere, canRemove });
  const cases: [what: string, facts: Partial<Facts>, remedy: Remedy | null][] = [
    ["nothing is wrong", {}, null],
    ["the license is revoked", { status: "revoked" }, { kind: "revoked" }],
    ["an expired license can be renewed", { status: "expired" }, { kind: "expired", canRenew: true }],
    ["no renewal is offered", { status: "expired", renewal_url: null }, { kind: "expired", canRenew: false }],
    ["the product is disabled, too", { status: "expired", product: off }, { kind: "product_disabled" }],
    ["the product is archived", { product: product("archived") }, { kind: "product_archived" }],
    ["the seller is suspended", { status: "revoked", seller: seller(true) }, { kind: "seller_suspended" }],
    ["all slots are taken, and an app was refused", { ...full, ...limitReached }, ipsFull(true)],
    ["no IP address is removable", { ...full, ...limitReached, self_service: offers(false) }, ipsFull(false)],
    ["a slot is free again", limitReached, null],
    ["the refused IP address is registered by now", { ...full, ...registeredByNow }, null],
    ["all slots are taken, and no app was refused", full, null],
    ["an IP address is not registered", notRegistered, { kind: "ip_not_registered", ip: elsewhere }],
    ["the IP address is registered by now", { refusals: [refusal("ip_not_registered", here)] }, null],
    ["there is also a block", { ...full, refusals: blockedToo }, { kind: "ip_blocked", ip: elsewhere }],
    ["versions fail", { refusals: [refusal("version_not_allowed")] }, { kind: "version", version: "5.1.0" }],
  ];
  test.each(["ip_blocked", "ip_limit_reached", "ip_not_registered", "version_not_allowed"] as const)(
    "a refusal with %s of last week may be solved by now",
    (status) => {
      const old = refusal(status, elsewhere, "2026-11-11T00:00:00.000Z");
      expect(remedyOf({ ...working, ...full, refusals: [old] }, false, nowMs)).toBeNull();
    },
  );

  test.each(cases)("the right remedy is shown if %s", (_, facts, remedy) => {
    expect(remedyOf({ ...working, ...facts }, false, nowMs)).toEqual(remedy);
  });

  test("full slots are the reason for a customer from an app even before the refusal is counted", () => {
    const facts = { ...working, ...full, your_ip: elsewhere };
    expect(remedyOf(facts, true, nowMs)).toEqual({ kind: "ips_full", ip: elsewhere, canRemove: true });
    expect(remedyOf({ ...facts, your_ip: here }, true, nowMs)).toBeNull();
  });
});

function refusal(status: Refusal["status"], ip = elsewhere, lastAt = "2026-11-17T00:00:00.000Z"): Refusal {
  const last = { last_at: lastAt, last_ip: ip, last_version: "5.1.0" };
  return { status, count: 1, first_at: lastAt, device_ids: [], ...last };
}

function seller(isSuspended: boolean) {
  return { is_suspended: isSuspended } as Facts["seller"];
}

function product(status: Facts["product"]["status"]): Facts["product"] {
  return { id: "product", name: "Polaris", status };
}

function offers(canRemove: boolean) {
  return { can_remove_ip: canRemove, can_reset_ips: canRemove } as Facts["self_service"];
}
