import { describe, expect, test } from "bun:test";
import { removeVersion, setVersion } from "../queries/versions/versions.ts";
import type { OrganizationRow } from "../tables.ts";
import { verdictOf } from "./calls.ts";
import { changeOrganization, changeProduct } from "./changes.ts";
import type { StoreFixture } from "./fixture.ts";

export function versions(fixture: StoreFixture) {
  describe("versions", () => {
    test("a change to the version records applies to the next call on every node", async () => {
      const org = await fixture.org({ settings: { version_module_enabled: 1 } });
      const { store, productId } = org;
      const { key } = await org.license();
      const other = await fixture.node();
      const answer = async () => {
        const here = await verdictOf(org, key, { version: "1.4" });
        const there = await verdictOf(org, key, { version: "1.4", on: other });
        const { ipRegistered, effect, firstUse } = here;
        expect(here).toEqual({ ...there, ipRegistered, effect, firstUse });
        return { status: here.status, version: here.version, versionValid: here.versionValid };
      };
      expect(await answer()).toEqual({ status: "version_not_allowed", version: null, versionValid: false });
      await other.transaction((db) => setVersion(db, productId, { version: "1.x", state: "allowed" }, 1));
      expect(await answer()).toEqual({ status: "active", version: "1.4", versionValid: true });
      await store.transaction((db) => setVersion(db, productId, { version: "1.4", state: "blocked" }, 2));
      expect(await answer()).toEqual({ status: "version_not_allowed", version: "1.x", versionValid: false });
      await other.transaction((db) => removeVersion(db, productId, "1.4"));
      expect(await answer()).toEqual({ status: "active", version: "1.4", versionValid: true });
      await store.transaction((db) => removeVersion(db, productId, "1.x"));
      expect(await answer()).toEqual({ status: "version_not_allowed", version: null, versionValid: false });
    });

    test("a product in report-only mode is valid with a disallowed version, also after a downgrade", async () => {
      const settings = { version_module_enabled: 1, version_enforcement: "report" } as const;
      const org = await fixture.org({ plan: "pro", settings });
      const { key } = await org.license();
      const reported = { status: "active", versionValid: false };
      expect(await verdictOf(org, key, { version: "1" })).toMatchObject({ ...reported, ipRegistered: true });
      await changeOrganization(org, { plan: "free" });
      expect(await verdictOf(org, key, { version: "1" })).toMatchObject(reported);
    });

    test("an organization that never had the version module is not checked", async () => {
      const org = await fixture.org({ plan: "free", settings: { version_module_enabled: 1 } });
      const { key } = await org.license();
      const answer = () => verdictOf(org, key, { version: "1" });
      expect(await answer()).toMatchObject({ status: "active", versionValid: null });
      await changeOrganization(org, { version_checks_on_downgrade: "report" });
      expect(await answer()).toMatchObject({ status: "active", versionValid: null });
      await changeOrganization(org, { plan: "pro" });
      expect(await answer()).toMatchObject({ status: "version_not_allowed", versionValid: false });
    });

    const downgrades: [string, Partial<OrganizationRow>][] = [
      ["a downgrade", { plan: "free" }],
      ["a cancellation", { billing_state: "cancelled" }],
    ];
    test.each(downgrades)("%s refuses the same versions until its owner chooses", async (_, change) => {
      const org = await fixture.org({ plan: "pro", settings: { version_module_enabled: 1 } });
      const { key } = await org.license();
      const other = await fixture.node();
      const answer = async () => {
        const { status, versionValid } = await verdictOf(org, key, { version: "1" });
        const there = await verdictOf(org, key, { version: "1", on: other });
        expect(there).toMatchObject({ status, versionValid });
        return [status, versionValid];
      };
      expect(await answer()).toEqual(["version_not_allowed", false]);
      await changeOrganization(org, change);
      expect(await answer()).toEqual(["version_not_allowed", false]);
      await changeOrganization(org, { version_checks_on_downgrade: "report" });
      expect(await answer()).toEqual(["active", false]);
      await changeProduct(org, { version_module_enabled: 0 });
      expect(await answer()).toEqual(["active", null]);
      await changeProduct(org, { version_module_enabled: 1 });
      await changeOrganization(org, { plan: "enterprise", billing_state: "active" });
      expect(await answer()).toEqual(["version_not_allowed", false]);
    });

    const pins: [pin: object, version: string, status: string, answer: string | null][] = [
      [{ pin: { mode: "pinned", version: "2.1.0" } }, "2.1", "active", "2.1.0"],
      [{ pin: { mode: "pinned", version: "2.1.0" } }, "2.2", "version_not_allowed", "2.1.0"],
      [{ pin: { mode: "range", min: "2.1", max: "2.3" } }, "2.1.0", "active", "2.1.0"],
      [{ pin: { mode: "range", min: "2.1", max: "2.3" } }, "2.3.0", "version_not_allowed", "2.x"],
      [{ pin: { mode: "range", min: null, max: null } }, "2.9", "active", "2.9"],
      [{ pin: { mode: "range", min: "2.1", max: null } }, "2.0", "version_not_allowed", "2.x"],
    ];
    test.each(pins)("with %j, a caller of %s is %s, of version %p", async (pin, sent, status, version) => {
      const org = await fixture.org();
      await changeProduct(org, { version_module_enabled: 1 });
      await org.store.transaction((db) =>
        setVersion(db, org.productId, { version: "2.x", state: "allowed" }, 1),
      );
      const { key } = await org.license(pin);
      expect(await verdictOf(org, key, { version: sent })).toMatchObject({ status, version });
    });
  });
}
