import { describe, expect, test } from "bun:test";
import { registeredIps } from "../../../tests/support/public-api-fixture.ts";
import { newId } from "../../../tests/support/test-organization.ts";
import { customerFor } from "../queries/customers/identify.ts";
import { recordOf, verdictOf } from "./calls.ts";
import { changeLicense } from "./changes.ts";
import type { StoreFixture } from "./fixture.ts";

export function lookups(fixture: StoreFixture) {
  describe("lookups", () => {
    test("lookups return the whole record, member for member", async () => {
      const org = await fixture.org({ settings: { version_module_enabled: 1 } });
      const { organizationId, productId } = org;
      const who = { email: ` ${newId()}@Example.com `, name: "Ada", discordId: newId() };
      const customerId = await org.store.transaction((db) => customerFor(db, organizationId, who, newId, 1));
      const { id, key } = await org.license({
        key: "Imported-Key",
        customerId,
        expiresAtMs: Date.UTC(2100, 0),
        maxIps: 7,
        notes: "paid by invoice",
        pin: { mode: "range", min: "2.1", max: "2.4" },
      });
      await changeLicense(org.store, id, { created_at: 0, updated_at: 1_000 });
      await verdictOf(org, key);
      await changeLicense(org.store, id, { ips_updated_at: 2_000 });
      const found = await recordOf(org, " imported-key ");
      expect(Object.entries(found ?? {})).toEqual([
        ["id", id],
        ["organization_id", organizationId],
        ["product_id", productId],
        ["global_customer_id", customerId],
        ["license_key", "Imported-Key"],
        ["status", "active"],
        ["expires_at", "2100-01-01T00:00:00.000Z"],
        ["is_lifetime", false],
        ["ip_system_enabled", true],
        ["max_ips", 7],
        ["current_unique_ip_count", 1],
        ["notes", "paid by invoice"],
        ["version_pin_mode", "range"],
        ["version_pinned", null],
        ["version_range_min", "2.1"],
        ["version_range_max", "2.4"],
        ["revoked_at", null],
        ["created_at", "1970-01-01T00:00:00.000Z"],
        ["updated_at", "1970-01-01T00:00:02.000Z"],
        ["customer_email", who.email.trim()],
        ["customer_name", "Ada"],
        ["customer_discord_id", who.discordId],
      ]);
    });

    test("lookups return null for unset members and pins without version management, and register no IP address", async () => {
      const org = await fixture.org();
      const { key } = await org.license({ maxIps: null, pin: { mode: "pinned", version: "2.0" } });
      const customer = { global_customer_id: null, customer_email: null };
      const ips = { ip_system_enabled: false, max_ips: null, current_unique_ip_count: 0 };
      const lifetime = { expires_at: null, is_lifetime: true, notes: null, version_pin_mode: null };
      expect(await recordOf(org, key)).toMatchObject({ ...customer, ...ips, ...lifetime });
      const limited = await org.license();
      await recordOf(org, limited.key);
      expect(await registeredIps(org.store, limited.id)).toEqual([]);
    });

    test("lookups return the status at this moment, whether or not the product enforces expiry", async () => {
      const nowMs = Date.UTC(2030, 5, 15);
      const org = await fixture.org({ now: () => nowMs, settings: { expiry_enforcement: 0 } });
      const statuses: [status: string, revokedAtMs: number | null, expiresAtMs: number | null][] = [
        ["active", null, null],
        ["active", null, nowMs + 1],
        ["expired", null, nowMs],
        ["revoked", nowMs, null],
        ["revoked", nowMs, nowMs - 1],
      ];
      for (const [status, revokedAtMs, expiresAtMs] of statuses) {
        const { key } = await org.license({ revokedAtMs, expiresAtMs });
        expect(await recordOf(org, key)).toMatchObject({ status });
      }
    });
  });
}
