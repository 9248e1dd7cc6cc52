import { describe, expect, test } from "bun:test";
import { type AuditEntry, historyOf, type LicenseEvent } from "./history-entries.ts";

const at = "2031-01-02T03:04:05.678Z";
const actor = { kind: "customer", id: "1", name: "Ada", access_token_id: null } as const;

const entry = (action: string, before: object | null, after: object | null) =>
  ({ id: action, at, action, actor, ip: null, before, after }) as unknown as AuditEntry;
const event = (type: string, transfer: object) =>
  ({ id: `event ${type}`, timestamp: at, type, data: { transfer } }) as unknown as LicenseEvent;
const history = (log: readonly AuditEntry[], events: readonly LicenseEvent[]) =>
  historyOf({ items: log, hasMore: false }, { items: events, hasMore: false });

describe("the history of a license", () => {
  test("the history shows a request for a transfer once, with the recipient and who made it", () => {
    const to = { customer_email: "grace@example.com" };
    const lines = history(
      [entry("license.transfer_requested", null, { to_email: to.customer_email })],
      [event("license.transfer_requested", { to, state: "pending", reason: null })],
    );
    expect(lines).toMatchObject([{ recipient: "grace@example.com", actor: { name: "Ada" }, reason: null }]);
  });

  test("the history shows why a transfer was rejected, in the seller's words", () => {
    const after = { to_discord_id: "123", reason: "Part of a bundle" };
    expect(history([entry("license.transfer_rejected", null, after)], [])).toMatchObject([
      { recipient: "123", reason: "Part of a bundle", systemReason: null },
    ]);
  });

  test("the history distinguishes the server's own reason from a person's", () => {
    const transfer = { to: {}, decided_by: "system", reason: "customer_changed" };
    expect(history([], [event("license.transfer_cancelled", transfer)])).toMatchObject([
      { reason: null, systemReason: "customer_changed" },
    ]);
  });

  test("the history lists what a transfer changed, without what it implies", () => {
    const ada = { global_customer_id: "1", customer_email: "ada@example.com", current_unique_ip_count: 2 };
    const emptied = { global_customer_id: "2", current_unique_ip_count: 0 };
    const grace = { ...emptied, customer_email: "grace@example.com" };
    const [line] = history([entry("license.transferred", ada, grace)], []);
    expect(line?.changes.map(({ field }) => field)).toEqual(["customer_email"]);
  });
});
