import { describe, expect, test } from "bun:test";
import { decisionKey, effectsOf, type Holder, warningsOf } from "./transfer.ts";

const nowMs = Date.UTC(2031, 0, 31);
const daysAgo = (days: number) => new Date(nowMs - days * 86_400_000).toISOString();
const waiting = { state: "pending", target_blocked: false, last_transferred_at: null } as const;
const active = { status: "active", transfer_cooldown_days: 14 } as const;

describe("warnings about a transfer", () => {
  const kinds = (...facts: Parameters<typeof warningsOf>) => warningsOf(...facts).map(({ kind }) => kind);

  test("there are none for an ordinary one", () => {
    expect(kinds(waiting, { revoked_at: null }, active, nowMs)).toEqual([]);
    expect(kinds(waiting, null, null, nowMs)).toEqual([]);
  });

  test("what makes the server refuse an approval comes first", () => {
    const blocked = { ...waiting, target_blocked: true };
    const warnings = warningsOf(
      blocked,
      { revoked_at: daysAgo(1) },
      { ...active, status: "archived" },
      nowMs,
    );
    expect(warnings.map(({ kind, isRefused }) => [kind, isRefused])).toEqual([
      ["product_inactive", true],
      ["license_revoked", true],
      ["target_blocked", false],
    ]);
  });

  test("a transfer is recent within the product's waiting period, or within 30 days", () => {
    const twenty = { ...waiting, last_transferred_at: daysAgo(20) };
    expect(kinds(twenty, null, active, nowMs)).toEqual([]);
    expect(kinds(twenty, null, { ...active, transfer_cooldown_days: 0 }, nowMs)).toEqual([
      "transferred_recently",
    ]);
    expect(kinds(twenty, null, null, nowMs)).toEqual(["transferred_recently"]);
    expect(kinds({ ...waiting, last_transferred_at: daysAgo(30) }, null, null, nowMs)).toEqual([]);
  });

  test("there are none after the decision", () => {
    const decided = { state: "rejected", target_blocked: true, last_transferred_at: daysAgo(1) } as const;
    expect(kinds(decided, { revoked_at: daysAgo(1) }, { ...active, status: "disabled" }, nowMs)).toEqual([]);
  });
});

describe("the effects of an approval", () => {
  const holder = (email: string | null): Holder => ({
    global_customer_id: null,
    customer_email: email,
    customer_name: null,
    customer_discord_id: email === null ? "80351110224678912" : null,
  });
  const to = holder("ben@example.com");

  test("follow the product's settings and name how many IP addresses are removed", () => {
    const product = { transfer_resets_ips: true, transfer_rotates_key: true };
    expect(effectsOf({ to }, { current_unique_ip_count: 2 }, product)).toEqual([
      { kind: "owner" },
      { kind: "key_replaced" },
      { kind: "ips_removed", count: 2 },
      { kind: "email" },
    ]);
    expect(
      effectsOf({ to: holder(null) }, null, { transfer_resets_ips: false, transfer_rotates_key: false }),
    ).toEqual([{ kind: "owner" }, { kind: "key_stays" }, { kind: "ips_stay" }, { kind: "no_email" }]);
  });

  test("depend on the settings for members who cannot see them", () => {
    expect(effectsOf({ to }, null, null).map(({ kind }) => kind)).toEqual(["owner", "by_settings", "email"]);
  });
});

test.each([
  [{ state: "pending", decided_by: null, decided_by_name: null, reason: null }, null],
  [
    { state: "approved", decided_by: "system", decided_by_name: null, reason: null },
    "decision.approved.system",
  ],
  [
    { state: "approved", decided_by: "organization", decided_by_name: "Ada", reason: null },
    "decision.approved.named",
  ],
  [
    { state: "rejected", decided_by: "organization", decided_by_name: null, reason: "Not now" },
    "decision.rejected.unnamed",
  ],
  [
    { state: "cancelled", decided_by: "customer", decided_by_name: null, reason: null },
    "decision.cancelled.customer",
  ],
  [
    { state: "cancelled", decided_by: "system", decided_by_name: null, reason: "license_deleted" },
    "decision.cancelled.license_deleted",
  ],
  [
    { state: "cancelled", decided_by: "system", decided_by_name: null, reason: "another" },
    "decision.cancelled.system",
  ],
] as const)("the text for %p is %p", (transfer, key) => {
  expect(decisionKey(transfer)).toBe(key);
});
