import { describe, expect, test } from "bun:test";
import { hourMs } from "@countersign/domain/dates/lengths";
import { addIpBlocks } from "@countersign/store/queries/ip-blocks/blocks";
import { type AddedLicense, addLicense } from "../support/add-license.ts";
import { allRows, statusesAtOnce } from "../support/answers.ts";
import { auditOf, recorded } from "../support/audit-of.ts";
import { licensesOf, refusal } from "../support/licenses.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { newId } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";

const levels = ["organization", "customer", "license"] as const;

/**
 * That a block is found in its scope only: packages/store/queries/ip-blocks/blocks.test.ts. When it applies:
 * packages/store/suite/ip-blocks.ts.
 */
testsOn("sqlite", "IP blocks", openManageFixture, (fixture) => {
  const api = () => fixture.owner.api;
  const licensed = () => addLicense(fixture, { customer: { email: `${newId()}@example.com` } });
  const pathOf = (level: (typeof levels)[number], license: AddedLicense) => {
    const organization = `/organizations/${fixture.organizationId}`;
    if (level === "organization") return `${organization}/ip-blocks`;
    if (level === "customer") return `${organization}/customers/${license.customerId}/ip-blocks`;
    return `/licenses/${license.id}/ip-blocks`;
  };
  const statusOf = async ({ key }: AddedLicense) => (await licensesOf(fixture).validate(key)).status;

  describe.each(levels)("of the %s", (level) => {
    test("apply from the next request until they are removed, can be changed, and are audited", async () => {
      const [license, bystander] = [await licensed(), await licensed()];
      const path = pathOf(level, license);
      expect(await statusOf(license)).toBe("active");
      const later = new Date(Date.now() + hourMs).toISOString();
      const made = await api().post(path, { cidr: "127.0.0.1", note: "Abuse", expires_at: later });
      const shown = { level, cidr: "127.0.0.1/32", note: "Abuse", expires_at: later };
      expect(made.body).toMatchObject({ ...shown, created_by: "Test Person" });
      expect(await statusOf(license)).toBe("ip_blocked");
      expect(await statusOf(bystander)).toBe(level === "organization" ? "ip_blocked" : "active");
      expect((await api().get(path)).body.data).toContainEqual(made.body);

      const one = `${path}/${made.body.id}`;
      const forever = await api().patch(one, { expires_at: null, note: "Again" });
      expect(forever.body).toMatchObject({ ...shown, expires_at: null, note: "Again" });
      expect(refusal(await api().patch(one, { expires_at: "2020-01-01T00:00:00Z" }))).toEqual([
        422,
        "expires_at",
      ]);
      expect(refusal(await api().patch(one, { cidr: "0.0.0.0/0" }))).toEqual([422, "cidr"]);
      const stale = { note: "Late", updated_at: made.body.updated_at };
      expect((await api().patch(one, stale)).status).toBe(412);
      expect([(await api().delete(one)).status, (await api().delete(one)).status]).toEqual([204, 404]);
      expect(await statusOf(license)).toBe("active");

      // For a license in its own history.
      const log = await auditOf(fixture, level === "license" ? license.id : made.body.id);
      expect(log.map(recorded)).toMatchObject([
        { action: "ip_block.added" },
        { action: "ip_block.updated", before: { level, note: "Abuse" }, after: { level, note: "Again" } },
        { action: "ip_block.removed" },
      ]);
    });

    /** Removals at the same time: packages/store/queries/ip-blocks/blocks.test.ts. */
    test("conflict for the same network and name the existing block, also if they are added at the same time", async () => {
      const path = pathOf(level, await licensed());
      const add = (cidr: string) => api().post(path, { cidr });
      const { body: first } = await add("198.51.100.77/24");
      expect(first.cidr).toBe("198.51.100.0/24");
      const again = await add("198.51.100.0/24");
      expect(refusal(again)).toEqual([409, "cidr"]);
      expect(again.body).toMatchObject({ code: "block_exists", params: { block_id: first.id } });
      const racing = await statusesAtOnce(6, () => add(" 203.0.113.200 "));
      expect(racing).toEqual([201, 409, 409, 409, 409, 409]);
      const blocks = await allRows(api(), `${path}?limit=1`);
      expect(blocks.map(({ cidr }) => cidr)).toEqual(["198.51.100.0/24", "203.0.113.200/32"]);
      for (const { id } of blocks) await api().delete(`${path}/${id}`);
    });
  });

  test("what is not a network, and one block too many, are refused", async () => {
    const { id: licenseId } = await licensed();
    const path = `/licenses/${licenseId}/ip-blocks`;
    for (const cidr of ["localhost", "10.0.0.0/33", 5])
      expect(refusal(await api().post(path, { cidr }))).toEqual([422, "cidr"]);
    const expired = { cidr: "198.21.0.1", expires_at: "2020-01-01T00:00:00Z" };
    expect(refusal(await api().post(path, expired))).toEqual([422, "expires_at"]);
    // Each validation reads the blocks of its license.
    const scope = { tier: "license", organizationId: fixture.organizationId, licenseId } as const;
    const blocks = Array.from({ length: 200 }, (_, index) => ({
      ...{ id: newId(), scope, cidr: `198.20.0.${index}/32`, note: null, expiresAtMs: null },
    }));
    await fixture.store.transaction((db) => addIpBlocks(db, blocks, 1));
    const body = { code: "block_limit_reached", params: { limit: 200 } };
    expect(await api().post(path, { cidr: "198.21.0.1" })).toMatchObject({ status: 403, body });
  });
});
