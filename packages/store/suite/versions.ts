import { describe, expect, test } from "bun:test";
import { registeredIps } from "../../../tests/support/public-api-fixture.ts";
import type { NewLicense } from "../queries/licenses/create.ts";
import { removeVersion, setVersion } from "../queries/versions/versions.ts";
import { verdictOf } from "./calls.ts";
import { changeOrganization, changeProduct } from "./changes.ts";
import type { StoreFixture } from "./fixture.ts";

/** Which versions a record or a pin allows, and who is checked: packages/domain/versions. */
export function versions(fixture: StoreFixture) {
  describe("versions", () => {
    test("a change to the version records applies to the next call on every node, and a refused version takes no slot", async () => {
      const org = await fixture.org({ settings: { version_module_enabled: 1 } });
      const { store, productId } = org;
      const { id, key } = await org.license();
      const other = await fixture.node();
      const expectAnswer = async (status: string, version: string | null) => {
        const versionValid = status === "active";
        for (const on of [store, other])
          expect(await verdictOf(org, key, { version: "1.4", on })).toMatchObject({
            ...{ status, version, versionValid },
          });
      };
      await expectAnswer("version_not_allowed", null);
      expect(await registeredIps(store, id)).toEqual([]);
      await other.transaction((db) => setVersion(db, productId, { version: "1.x", state: "allowed" }, 1));
      await expectAnswer("active", "1.4");
      await store.transaction((db) => setVersion(db, productId, { version: "1.4", state: "blocked" }, 2));
      await expectAnswer("version_not_allowed", null);
      await other.transaction((db) => removeVersion(db, productId, "1.4"));
      await expectAnswer("active", "1.4");
      await store.transaction((db) => removeVersion(db, productId, "1.x"));
      await expectAnswer("version_not_allowed", null);
    });

    /** An organization with a license, and what a caller of a version without a record is answered on every node. */
    const withModule = async (plan: "free" | "pro") => {
      const org = await fixture.org({ plan, settings: { version_module_enabled: 1 } });
      const { key } = await org.license();
      const other = await fixture.node();
      const expectAnswer = async (status: string, versionValid: boolean | null) => {
        for (const on of [org.store, other])
          expect(await verdictOf(org, key, { version: "1", on })).toMatchObject({ status, versionValid });
      };
      return { org, expectAnswer };
    };

    test("an organization that never had the version module is not checked until its plan has it", async () => {
      const { org, expectAnswer } = await withModule("free");
      await expectAnswer("active", null);
      await changeOrganization(org, { version_checks_on_downgrade: "report" });
      await expectAnswer("active", null);
      await changeOrganization(org, { plan: "pro" });
      await expectAnswer("version_not_allowed", false);
      await changeProduct(org, { version_enforcement: "report" });
      await expectAnswer("active", false);
    });

    const downgrades = [{ plan: "free" }, { billing_state: "cancelled" }] as const;
    test.each(downgrades)(
      "after a change to %j, the same versions are refused until the owner chooses",
      async (change) => {
        const { org, expectAnswer } = await withModule("pro");
        await expectAnswer("version_not_allowed", false);
        await changeOrganization(org, change);
        await expectAnswer("version_not_allowed", false);
        await changeOrganization(org, { version_checks_on_downgrade: "report" });
        await expectAnswer("active", false);
        await changeProduct(org, { version_module_enabled: 0 });
        await expectAnswer("active", null);
        await changeProduct(org, { version_module_enabled: 1 });
        await changeOrganization(org, { plan: "enterprise", billing_state: "active" });
        await expectAnswer("version_not_allowed", false);
      },
    );

    const pins: [
      pin: NonNullable<NewLicense["pin"]>,
      version: string,
      status: string,
      answer: string | null,
    ][] = [
      [{ mode: "pinned", version: "2.1.0" }, "2.1", "active", "2.1.0"],
      [{ mode: "pinned", version: "2.1.0" }, "2.2", "version_not_allowed", "2.1.0"],
      [{ mode: "range", min: "2.1", max: "2.3" }, "2.1.0", "active", "2.1.0"],
      [{ mode: "range", min: "2.1", max: "2.3" }, "2.3.0", "version_not_allowed", null],
      [{ mode: "range", min: "2.1", max: null }, "2.0", "version_not_allowed", null],
    ];
    test.each(pins)("with a pin to %j, a caller of version %s is %s and is told %p", async (pin, ...row) => {
      const [sent, status, version] = row;
      const org = await fixture.org({ settings: { version_module_enabled: 1 } });
      await org.store.transaction((db) =>
        setVersion(db, org.productId, { version: "2.x", state: "allowed" }, 1),
      );
      const { key } = await org.license({ pin });
      expect(await verdictOf(org, key, { version: sent })).toMatchObject({ status, version });
    });
  });
}
