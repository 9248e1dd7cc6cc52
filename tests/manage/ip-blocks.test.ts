import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { hourMs } from "@countersign/domain/dates/lengths";
import { addIpBlocks } from "@countersign/store/queries/ip-blocks/blocks";
import { type AddedLicense, addLicense } from "../support/add-license.ts";
import { on } from "../support/databases.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { newId } from "../support/test-organization.ts";
import { until } from "../support/until.ts";

const levels = ["organization", "customer", "license"] as const;

describe.each(on("sqlite"))("IP blocks on $kind", ({ make }) => {
  let fixture: ManageFixture;
  beforeAll(async () => {
    fixture = await openManageFixture(make);
  });
  afterAll(() => fixture.close());

  const api = () => fixture.owner.api;
  const licensed = () => addLicense(fixture, { customer: { email: `${newId()}@example.com` } });
  const pathOf = (level: (typeof levels)[number], license: AddedLicense) => {
    const organization = `/organizations/${fixture.organizationId}`;
    if (level === "organization") return `${organization}/ip-blocks`;
    if (level === "customer") return `${organization}/customers/${license.customerId}/ip-blocks`;
    return `/licenses/${license.id}/ip-blocks`;
  };
  const statusOf = async (license: AddedLicense) =>
    (await fixture.publicApi.validate({ license_key: license.key })).body.status;
  const statuses = (answers: readonly { status: number }[]) => answers.map(({ status }) => status).sort();
  const refusal = ({ status, body }: { status: number; body: { errors: { field: string }[] } }) => [
    status,
    body.errors[0]?.field,
  ];

  describe.each(levels)("of the %s", (level) => {
    test("apply from the next request until they are removed", async () => {
      const [license, bystander] = [await licensed(), await licensed()];
      const path = pathOf(level, license);
      expect(await statusOf(license)).toBe("active");
      const made = await api().post(path, { cidr: "127.0.0.1", note: "Abuse" });
      expect(made.status).toBe(201);
      const shown = {
        level,
        cidr: "127.0.0.1/32",
        note: "Abuse",
        expires_at: null,
        created_by: "Test Person",
      };
      expect(made.body).toMatchObject(shown);
      expect(await statusOf(license)).toBe("ip_blocked");
      expect(await statusOf(bystander)).toBe(level === "organization" ? "ip_blocked" : "active");
      expect((await api().get(path)).body.data).toContainEqual(made.body);
      expect((await api().delete(`${path}/${made.body.id}`)).status).toBe(204);
      expect(await statusOf(license)).toBe("active");
      expect((await api().delete(`${path}/${made.body.id}`)).status).toBe(404);
    });

    test("expire automatically, and the expiry can be changed", async () => {
      const license = await licensed();
      const path = pathOf(level, license);
      const later = new Date(Date.now() + hourMs).toISOString();
      const made = await api().post(path, { cidr: "127.0.0.0/8", expires_at: later });
      expect(made.body.expires_at).toBe(later);
      expect(await statusOf(license)).toBe("ip_blocked");
      const one = `${path}/${made.body.id}`;
      let soon = later;
      // On a busy machine, the time may be over before the request arrives.
      await until("the expiry is changed in time", async () => {
        soon = new Date(Date.now() + 200).toISOString();
        return (await api().patch(one, { expires_at: soon })).status === 200;
      });
      await until("it has expired", async () => (await statusOf(license)) === "active");
      expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(soon));
      const forever = await api().patch(one, { expires_at: null, note: "Again" });
      expect(forever.body).toMatchObject({ expires_at: null, note: "Again", cidr: "127.0.0.0/8" });
      expect(await statusOf(license)).toBe("ip_blocked");
      expect(refusal(await api().patch(one, { expires_at: soon }))).toEqual([422, "expires_at"]);
      const stale = { note: "Late", updated_at: made.body.updated_at };
      expect((await api().patch(one, stale)).status).toBe(412);
      await api().delete(one);
      expect(await statusOf(license)).toBe("active");
    });

    test("conflict for the same network and name the existing block; races add and remove one", async () => {
      const license = await licensed();
      const path = pathOf(level, license);
      const first = await api().post(path, { cidr: "198.51.100.77/24" });
      expect(first.body.cidr).toBe("198.51.100.0/24");
      const again = await api().post(path, { cidr: "198.51.100.0/24" });
      expect(refusal(again)).toEqual([409, "cidr"]);
      expect(again.body).toMatchObject({ code: "block_exists", params: { block_id: first.body.id } });
      const sixTimes = <T>(call: () => Promise<T>) => Promise.all(Array.from({ length: 6 }, call));
      const racing = await sixTimes(() => api().post(path, { cidr: "203.0.113.200" }));
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

    test("are audited on every change, for a license in its own history", async () => {
      const license = await licensed();
      const path = pathOf(level, license);
      const { body } = await api().post(path, { cidr: "198.18.9.9", note: "a" });
      await api().patch(`${path}/${body.id}`, { note: "b" });
      await api().delete(`${path}/${body.id}`);
      const rows = await fixture.store.reads
        .selectFrom("audit_log")
        .selectAll()
        .where("organization_id", "=", fixture.organizationId)
        .where("subject_kind", "=", level === "license" ? "license" : "ip_block")
        .where("subject_id", "=", level === "license" ? license.id : body.id)
        .where("action", "like", "ip_block.%")
        .orderBy("id")
        .execute();
      const actions = rows.map((row) => row.action);
      expect(actions).toEqual(["ip_block.added", "ip_block.updated", "ip_block.removed"]);
      expect(JSON.parse(rows[1]?.before ?? "")).toMatchObject({ level, note: "a" });
      expect(JSON.parse(rows[1]?.after ?? "")).toMatchObject({ level, note: "b" });
    });
  });

  test("a block is accessible only through its own list", async () => {
    const [license, other] = [await licensed(), await licensed()];
    const paths = levels.map((level) => pathOf(level, license));
    const elsewhere = [pathOf("customer", other), pathOf("license", other)];
    for (const own of paths) {
      const { body } = await api().post(own, { cidr: "198.18.10.10" });
      for (const path of [...paths, ...elsewhere].filter((one) => one !== own)) {
        expect((await api().delete(`${path}/${body.id}`)).status).toBe(404);
        expect((await api().patch(`${path}/${body.id}`, { note: "x" })).status).toBe(404);
      }
      expect((await api().delete(`${own}/${body.id}`)).status).toBe(204);
    }
  });

  test("a network is stored as it is usually written, and anything else is refused", async () => {
    const path = pathOf("license", await licensed());
    const spellings = {
      "10.1.2.3/8": "10.0.0.0/8",
      " 203.0.113.7 ": "203.0.113.7/32",
      "2001:DB8:0:0::1/48": "2001:db8::/48",
      "::ffff:203.0.113.9": "203.0.113.9/32",
    };
    for (const [cidr, stored] of Object.entries(spellings))
      expect((await api().post(path, { cidr })).body.cidr).toBe(stored);
    for (const cidr of ["", "localhost", "10.0.0.0/33", "1.2.3", "010.0.0.1", "::/129", "1.2.3.4/", 5, null])
      expect(refusal(await api().post(path, { cidr }))).toEqual([422, "cidr"]);
  });

  test("server-owned fields, another network and an expiry in the past are refused", async () => {
    const path = pathOf("organization", await licensed());
    const cidr = "198.18.11.1";
    const refused = await api().post(path, {
      cidr,
      id: "x",
      created_by: "y",
      level: "platform",
      tier: "platform",
    });
    const fields = refused.body.errors.map((error: { field: string }) => error.field);
    expect(fields.sort()).toEqual(["created_by", "id", "level", "tier"]);
    const past = { cidr, expires_at: "2020-01-01T00:00:00Z" };
    expect(refusal(await api().post(path, past))).toEqual([422, "expires_at"]);
    const { body } = await api().post(path, { cidr });
    expect((await api().patch(`${path}/${body.id}`, { cidr: "0.0.0.0/0" })).status).toBe(422);
  });

  test("a license has at most 200 blocks, because each validation reads them", async () => {
    const { id: licenseId, ...license } = await licensed();
    const scope = { tier: "license", organizationId: fixture.organizationId, licenseId } as const;
    const blocks = Array.from({ length: 200 }, (_, index) => ({
      ...{ id: newId(), scope, cidr: `198.20.0.${index}/32`, note: null, expiresAtMs: null },
    }));
    await fixture.store.transaction((db) => addIpBlocks(db, blocks, 1));
    const path = pathOf("license", { id: licenseId, ...license });
    const { status, body } = await api().post(path, { cidr: "198.21.0.1" });
    expect(status).toBe(403);
    expect(body).toMatchObject({ code: "block_limit_reached", params: { limit: 200 } });
  });
});
