import { describe, expect, test } from "bun:test";
import { decisionKey, effectsOf, type Holder, warningsOf } from "./transfer.tsx";

const nowMs = Date.UTC(2031, 0, 31);
const daysAgo = (days: number) => new Date(nowMs - days * 86_400_000).toISOString();
const waiting = { state: "pending", target_blocked: false, last_transferred_at: null } as const;
const active = { status: "active", transfer_cooldown_days: 14 } as const;

describe("warnings about a transfer", () => {
  const kinds = (...facts: Parameters<typeof warningsOf>) => warningsOf(...facts).map(({ kind }) => kind);

  test("an ordinary transfer has no warnings", () => {
    expect(kinds(waiting, { revoked_at: null }, active, nowMs)).toEqual([]);
    expect(kinds(waiting, null, null, nowMs)).toEqual([]);
  });

  test("warnings about what makes the server refuse an approval come first", () => {
    const blocked = { ...waiting, target_blocked: true };
    const archived = { ...active, status: "archived" } as const;
    const warnings = warningsOf(blocked, { revoked_at: daysAgo(1) }, archived, nowMs);
    expect(warnings.map(({ kind }) => kind)).toEqual([
      "product_inactive",
      "license_revoked",
      "target_blocked",
    ]);
    expect(warnings.map(({ isRefused }) => isRefused)).toEqual([true, true, false]);
  });

  test("a transfer is recent within the product's waiting period, or within 30 days", () => {
    const twenty = { ...waiting, last_transferred_at: daysAgo(20) };
    expect(kinds(twenty, null, active, nowMs)).toEqual([]);
    for (const product of [{ ...active, transfer_cooldown_days: 0 }, null])
      expect(kinds(twenty, null, product, nowMs)).toEqual(["transferred_recently"]);
    expect(kinds({ ...waiting, last_transferred_at: daysAgo(30) }, null, null, nowMs)).toEqual([]);
  });

  test("a transfer has no warnings after the decision", () => {
    const decided = { state: "rejected", target_blocked: true, last_transferred_at: daysAgo(1) } as const;
    expect(kinds(decided, { revoked_at: daysAgo(1) }, { ...active, status: "disabled" }, nowMs)).toEqual([]);
  });
});

describe("effects of approvals", () => {
  const holder = (email: string | null): Holder => ({
    global_customer_id: null,
    customer_email: email,
    customer_name: null,
    customer_discord_id: email === null ? "80351110224678912" : null,
  });
  const settings = (isOn: boolean) => ({ transfer_resets_ips: isOn, transfer_rotates_key: isOn });
  const to = holder("ben@example.com");

  test("the effects of an approval follow the product's settings and name how many IP addresses are removed", () => {
    const effects = effectsOf({ to }, { current_unique_ip_count: 2 }, settings(true));
    expect(effects.map(({ kind }) => kind)).toEqual(["owner", "key_replaced", "ips_removed", "email"]);
    expect(effects[2]).toEqual({ kind: "ips_removed", count: 2 });
    const fewer = effectsOf({ to: holder(null) }, null, settings(false));
    expect(fewer.map(({ kind }) => kind)).toEqual(["owner", "key_stays", "ips_stay", "no_email"]);
  });

  test("the effects of an approval depend on the settings for members who cannot see them", () =>
    expect(effectsOf({ to }, null, null).map(({ kind }) => kind)).toEqual(["owner", "by_settings", "email"]));
});

type Decision = Parameters<typeof decisionKey>[0];
test.each<[Decision["state"], by: Decision["decided_by"], key: string | null, rest?: Partial<Decision>]>([
  ["pending", null, null],
  ["approved", "system", "decision.approved.system"],
  ["approved", "organization", "decision.approved.named", { decided_by_name: "Ada" }],
  ["rejected", "organization", "decision.rejected.unnamed", { reason: "Not now" }],
  ["cancelled", "customer", "decision.cancelled.customer"],
  ["cancelled", "system", "decision.cancelled.license_deleted", { reason: "license_deleted" }],
  ["cancelled", "system", "decision.cancelled.system", { reason: "another" }],
])("the text for a transfer %p by %p is %p", (state, by, key, rest = {}) => {
  expect(decisionKey({ state, decided_by: by, decided_by_name: null, reason: null, ...rest })).toBe(key);
});
