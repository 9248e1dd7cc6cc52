import { describe, expect, test } from "bun:test";
import { hourMs } from "@countersign/domain/dates/lengths";
import { addIpBlocks } from "@countersign/store/queries/ip-blocks/blocks";
import { type AddedLicense, addLicense } from "../support/add-license.ts";
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
      const past = { expires_at: "2020-01-01T00:00:00Z" };
      expect(refusal(await api().patch(one, past))).toEqual([422, "expires_at"]);
      expect(refusal(await api().patch(one, { cidr: "0.0.0.0/0" }))).toEqual([422, "cidr"]);
      const stale = { note: "Late", updated_at: made.body.updated_at };
      expect((await api().patch(one, stale)).status).toBe(412);
      expect([(await api().delete(one)).status, (await api().delete(one)).status]).toEqual([204, 404]);
      expect(await statusOf(license)).toBe("active");

      // For a license in its own history.
      const [kind, id] = level === "license" ? ["license", license.id] : ["ip_block", made.body.id];
      const log = fixture.store.reads.selectFrom("audit_log").selectAll().where("subject_id", "=", id);
      const rows = await log.where("subject_kind", "=", kind).orderBy("id").execute();
      const actions = rows.map((row) => row.action);
      expect(actions).toEqual(["ip_block.added", "ip_block.updated", "ip_block.removed"]);
      expect(JSON.parse(rows[1]?.before ?? "")).toMatchObject({ level, note: "Abuse" });
      expect(JSON.parse(rows[1]?.after ?? "")).toMatchObject({ level, note: "Again" });
    });

    test("conflict for the same network and name the existing block; races add and remove one", async () => {
      const path = pathOf(level, await licensed());
      const first = await api().post(path, { cidr: "198.51.100.77/24" });
      expect(first.body.cidr).toBe("198.51.100.0/24");
      const again = await api().post(path, { cidr: "198.51.100.0/24" });
      expect(refusal(again)).toEqual([409, "cidr"]);
      expect(again.body).toMatchObject({ code: "block_exists", params: { block_id: first.body.id } });
      const sixTimes = <T>(call: () => Promise<T>) => Promise.all(Array.from({ length: 6 }, call));
      const statuses = (answers: readonly { status: number }[]) => answers.map(({ status }) => status).sort();
      const racing = await sixTimes(() => api().post(path, { cidr: " 203.0.113.200 " }));
      expect(statuses(racing)).toEqual([201, 409, 409, 409, 409, 409]);
      const second = racing.find(({ status }) => status === 201)?.body.id;
      const page = (await api().get(`${path}?limit=1`)).body;
      const rest = (await api().get(`${path}?limit=1&cursor=${page.next_cursor}`)).body;
      const ids = [...page.data, ...rest.data].map((block: { id: string }) => block.id);
      expect([ids, rest.next_cursor]).toEqual([[first.body.id, second], null]);
      for (const id of ids) {
        const removals = await sixTimes(() => api().delete(`${path}/${id}`));
        expect(statuses(removals)).toEqual([204, 404, 404, 404, 404, 404]);
      }
    });
  });

  test("what is not a network, and one block too many, are refused", async () => {
    const { id: licenseId } = await licensed();
    const path = `/licenses/${licenseId}/ip-blocks`;
    for (const cidr of ["", "localhost", "10.0.0.0/33", "010.0.0.1", 5, null])
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
