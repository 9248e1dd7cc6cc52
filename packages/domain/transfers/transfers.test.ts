import { describe, expect, test } from "bun:test";
import { dayMs } from "../dates/lengths.ts";
import {
  nextRequestAtMs,
  requestRefusal,
  reviewReason,
  type TransferFacts,
  transferRefusal,
} from "./decide.ts";

const nowMs = Date.UTC(2031, 0, 31);
const daysAgo = (days: number) => nowMs - days * dayMs;

const times = { createdAtMs: daysAgo(31), lastTransferredAtMs: null, nowMs };
const usual: TransferFacts = { mode: "automatic", cooldownDays: 30, targetBlocked: false, ...times };
test.each<[what: string, changes: Partial<TransferFacts>, reason: string | null]>([
  ["is approved automatically once the license is old enough", {}, null],
  ["is approved at the very end of the time", { createdAtMs: daysAgo(30) }, null],
  ["waits a millisecond before that", { createdAtMs: daysAgo(30) + 1 }, "cooldown"],
  ["waits for a new license", { createdAtMs: nowMs }, "cooldown"],
  ["waits if the license was transferred lately", { lastTransferredAtMs: daysAgo(29) }, "cooldown"],
  ["is approved if the last transfer is long ago", { lastTransferredAtMs: daysAgo(30) }, null],
  ["is approved without a cooldown", { cooldownDays: 0, createdAtMs: nowMs }, null],
  ["is approved at once if there is no cooldown", { cooldownDays: 0, lastTransferredAtMs: nowMs }, null],
  ["waits if the recipient is blocked", { targetBlocked: true }, "target_blocked"],
  ["names the block before the cooldown", { targetBlocked: true, createdAtMs: nowMs }, "target_blocked"],
  ["waits if the seller always decides", { mode: "review" }, "product_setting"],
  ["names the setting before a block", { mode: "review", targetBlocked: true }, "product_setting"],
  ["waits for a license that was created in the future", { createdAtMs: nowMs + 1 }, "cooldown"],
])("a requested transfer %s", (_what, changes, reason) =>
  expect(reviewReason({ ...usual, ...changes })).toBe(reason as never),
);

describe("requests", () => {
  test.each([
    ["is allowed", {}, null],
    ["is refused while transfers are off", { transfers: "off" }, "transfers_not_offered"],
    ["is refused for an archived product", { productStatus: "archived" }, "transfer_product_inactive"],
    ["is refused for a disabled product", { productStatus: "disabled" }, "transfer_product_inactive"],
    ["is refused for a revoked license", { isRevoked: true }, "transfer_license_revoked"],
    ["is refused while another is pending", { hasPending: true }, "transfer_pending"],
    ["is refused first as transfers are off", { transfers: "off", isRevoked: true }, "transfers_not_offered"],
    ["is refused first for a revocation", { hasPending: true, isRevoked: true }, "transfer_license_revoked"],
  ] as const)("a request for a transfer %s", (_what, changes, refusal) => {
    const product = { productStatus: "active", transfers: "review" } as const;
    const usual = { ...product, isRevoked: false, hasPending: false };
    expect(requestRefusal({ ...usual, ...changes })).toBe(refusal);
  });

  test("a sixth request within a day is refused until the first of the five is a day old", () => {
    const five = [1, 2, 3, 4, 5].map((hours) => nowMs - hours * 3_600_000);
    expect(nextRequestAtMs(five, nowMs)).toBe(nowMs + 19 * 3_600_000);
    expect(nextRequestAtMs(five, nowMs + 19 * 3_600_000)).toBeNull();
    expect(nextRequestAtMs(five.slice(1), nowMs)).toBeNull();
  });
});

test("an approval does not depend on whether the product still offers transfers", () =>
  expect(transferRefusal({ productStatus: "active", isRevoked: false })).toBeNull());
