import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { hourMs } from "@countersign/domain/dates/lengths";
import type { Permission } from "@countersign/domain/members/permissions";
import { type AddedLicense, addLicense } from "../support/add-license.ts";
import { databases } from "../support/databases.ts";
import type { ManageClient } from "../support/manage-client.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { until } from "../support/until.ts";

const levels: [level: "organization" | "customer" | "license", toView: Permission][] = [
  ["organization", "licenses:view"],
  ["customer", "customers:view"],
  ["license", "licenses:view"],
];

describe.each(databases)("IP blocks on $kind", ({ make }) => {
  let fixture: ManageFixture;
  beforeAll(async () => {
    fixture = await openManageFixture(make);
  });
  afterAll(() => fixture.close());

  const licensed = () => addLicense(fixture, { customer: { email: `${crypto.randomUUID()}@example.com` } });
  const pathOf = (level: string, license: AddedLicense) => {
    const organization = `/organizations/${fixture.organizationId}`;
    if (level === "organization") return `${organization}/ip-blocks`;
    if (level === "customer") return `${organization}/customers/${license.customerId}/ip-blocks`;
    return `/licenses/${license.id}/ip-blocks`;
  };
  const statusOf = async (license: AddedLicense) =>
    (await fixture.publicApi.validate({ license_key: license.key })).body.status;
  /** Compares the counters that the hot path reads with the actual number of blocks. */
  const counters = async (license: AddedLicense) => {
    const [organization, row, blocks] = await Promise.all([
      fixture.store.reads
        .selectFrom("organizations")
        .select("customer_block_count")
        .where("id", "=", fixture.organizationId)
        .executeTakeFirstOrThrow(),
      fixture.store.reads
        .selectFrom("licenses")
        .select("block_count")
        .where("id", "=", license.id)
        .executeTakeFirstOrThrow(),
      fixture.store.reads.selectFrom("ip_blocks").select(["tier", "scope_id"]).execute(),
    ]);
    expect(organization.customer_block_count).toBe(
      blocks.filter((block) => block.tier === "customer").length,
    );
    expect(row.block_count).toBe(blocks.filter((block) => block.scope_id === license.id).length);
  };

  describe.each(levels)("of the %s", (level, toView) => {
    test("apply from the next request until they are removed", async () => {
      const license = await licensed();
      const bystander = await licensed();
      const path = pathOf(level, license);
      expect(await statusOf(license)).toBe("active");
      const made = await fixture.owner.api.post(path, { cidr: "127.0.0.1", note: "Abuse" });
      expect(made.status).toBe(201);
      expect(made.body).toMatchObject({
        level,
        cidr: "127.0.0.1/32",
        note: "Abuse",
        expires_at: null,
        created_by: "Test Person",
      });
      expect(await statusOf(license)).toBe("ip_blocked");
      expect(await statusOf(bystander)).toBe(level === "organization" ? "ip_blocked" : "active");
      await counters(license);
      expect((await fixture.owner.api.get(path)).body.data).toContainEqual(made.body);
      expect((await fixture.owner.api.delete(`${path}/${made.body.id}`)).status).toBe(204);
      expect(await statusOf(license)).toBe("active");
      await counters(license);
      expect((await fixture.owner.api.delete(`${path}/${made.body.id}`)).status).toBe(404);
    });

    test("expire automatically, and the expiry can be changed", async () => {
      const license = await licensed();
      const path = pathOf(level, license);
      const later = new Date(Date.now() + hourMs).toISOString();
      const made = await fixture.owner.api.post(path, { cidr: "127.0.0.0/8", expires_at: later });
      expect(made.body.expires_at).toBe(later);
      expect(await statusOf(license)).toBe("ip_blocked");
      const one = `${path}/${made.body.id}`;
      let soon = later;
      // On a busy machine, the time may be over before the request arrives.
      await until("the expiry is changed in time", async () => {
        soon = new Date(Date.now() + 500).toISOString();
        const { status } = await fixture.owner.api.patch(one, { expires_at: soon });
        return status === 200;
      });
      await until("it has expired", async () => (await statusOf(license)) === "active");
      expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(soon));
      const forever = await fixture.owner.api.patch(one, { expires_at: null, note: "Again" });
      expect(forever.body).toMatchObject({ expires_at: null, note: "Again", cidr: "127.0.0.0/8" });
      expect(await statusOf(license)).toBe("ip_blocked");
      const past = await fixture.owner.api.patch(one, { expires_at: soon });
      expect(past.status).toBe(422);
      expect(past.body.errors[0].field).toBe("expires_at");
      const guard = { note: "Late", updated_at: made.body.updated_at };
      expect((await fixture.owner.api.patch(one, guard)).status).toBe(412);
      await fixture.owner.api.delete(one);
      expect(await statusOf(license)).toBe("active");
    });

    test("conflict for the same network and name the existing block, even in a race", async () => {
      const license = await licensed();
      const path = pathOf(level, license);
      const first = await fixture.owner.api.post(path, { cidr: "198.51.100.77/24" });
      expect(first.body.cidr).toBe("198.51.100.0/24");
      const again = await fixture.owner.api.post(path, { cidr: "198.51.100.0/24" });
      expect(again.status).toBe(409);
      expect(again.body).toMatchObject({ code: "block_exists", params: { block_id: first.body.id } });
      expect(again.body.errors[0].field).toBe("cidr");
      const racing = await Promise.all(
        Array.from({ length: 6 }, () => fixture.owner.api.post(path, { cidr: "203.0.113.200" })),
      );
      expect(racing.map((answer) => answer.status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
      await counters(license);
      const { body } = racing.find((answer) => answer.status === 201) ?? first;
      await fixture.owner.api.delete(`${path}/${body.id}`);
      await fixture.owner.api.delete(`${path}/${first.body.id}`);
    });

    test("are removed once by concurrent requests, which lower the counters once", async () => {
      const license = await licensed();
      const path = pathOf(level, license);
      const kept = await fixture.owner.api.post(path, { cidr: "127.0.0.1" });
      const { body } = await fixture.owner.api.post(path, { cidr: "127.0.0.0/16" });
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => fixture.owner.api.delete(`${path}/${body.id}`)),
      );
      expect(answers.map((answer) => answer.status).sort()).toEqual([204, 404, 404, 404, 404, 404]);
      await counters(license);
      expect(await statusOf(license)).toBe("ip_blocked");
      await fixture.owner.api.delete(`${path}/${kept.body.id}`);
      expect(await statusOf(license)).toBe("active");
    });

    test("are paginated", async () => {
      const license = await licensed();
      const path = pathOf(level, license);
      const made: string[] = [];
      for (let index = 1; index <= 3; index++) {
        made.push((await fixture.owner.api.post(path, { cidr: `198.18.7.${index}` })).body.id);
      }
      const listed: string[] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const { body } = await fixture.owner.api.get(
          `${path}?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`,
        );
        listed.push(...body.data.map((block: { id: string }) => block.id));
        cursor = body.next_cursor;
      }
      expect(listed).toEqual(made);
      for (const id of made) await fixture.owner.api.delete(`${path}/${id}`);
    });

    test(`need ${toView} to be listed and ip_blocks:manage to be changed, and outsiders get 404`, async () => {
      const license = await licensed();
      const path = pathOf(level, license);
      const { body } = await fixture.owner.api.post(path, { cidr: "198.18.8.8" });
      const viewer = await fixture.member([toView]);
      const other = await fixture.member(["products:view", "licenses:update", "customers:manage"]);
      const outsider = await fixture.person();
      const writes = (api: ManageClient) => [
        api.post(path, { cidr: "198.18.8.9" }),
        api.patch(`${path}/${body.id}`, { note: "x" }),
        api.delete(`${path}/${body.id}`),
      ];
      expect((await viewer.api.get(path)).status).toBe(200);
      expect((await other.api.get(path)).status).toBe(403);
      for (const call of [...writes(viewer.api), ...writes(other.api)]) expect((await call).status).toBe(403);
      for (const call of [outsider.api.get(path), ...writes(outsider.api)])
        expect((await call).status).toBe(404);
      const keeper = await fixture.member(["ip_blocks:manage"]);
      expect((await keeper.api.delete(`${path}/${body.id}`)).status).toBe(204);
    });

    test("are audited on every change, for a license in its own history", async () => {
      const license = await licensed();
      const path = pathOf(level, license);
      const { body } = await fixture.owner.api.post(path, { cidr: "198.18.9.9", note: "a" });
      await fixture.owner.api.patch(`${path}/${body.id}`, { note: "b" });
      await fixture.owner.api.delete(`${path}/${body.id}`);
      const rows = await fixture.store.reads
        .selectFrom("audit_log")
        .selectAll()
        .where("subject_kind", "=", level === "license" ? "license" : "ip_block")
        .where("subject_id", "=", level === "license" ? license.id : body.id)
        .where("action", "like", "ip_block.%")
        .orderBy("id")
        .execute();
      expect(rows.map((row) => row.action)).toEqual([
        "ip_block.added",
        "ip_block.updated",
        "ip_block.removed",
      ]);
      expect(JSON.parse(rows[1]?.before ?? "")).toMatchObject({ level, note: "a" });
      expect(JSON.parse(rows[1]?.after ?? "")).toMatchObject({ level, note: "b" });
      expect(rows.every((row) => row.organization_id === fixture.organizationId)).toBe(true);
    });
  });

  test("a block is accessible only through its own list", async () => {
    const [license, other] = [await licensed(), await licensed()];
    const paths = levels.map(([level]) => pathOf(level, license));
    const elsewhere = levels.slice(1).map(([level]) => pathOf(level, other));
    for (const own of paths) {
      const { body } = await fixture.owner.api.post(own, { cidr: "198.18.10.10" });
      for (const path of [...paths, ...elsewhere].filter((one) => one !== own)) {
        expect((await fixture.owner.api.delete(`${path}/${body.id}`)).status).toBe(404);
        expect((await fixture.owner.api.patch(`${path}/${body.id}`, { note: "x" })).status).toBe(404);
      }
      await counters(license);
      expect((await fixture.owner.api.delete(`${own}/${body.id}`)).status).toBe(204);
    }
  });

  const spellings: [sent: string, kept: string][] = [
    ["10.1.2.3/8", "10.0.0.0/8"],
    [" 203.0.113.7 ", "203.0.113.7/32"],
    ["2001:DB8:0:0::1/48", "2001:db8::/48"],
    ["::ffff:203.0.113.9", "203.0.113.9/32"],
    ["0.0.0.0/0", "0.0.0.0/0"],
  ];
  test.each(spellings)("%p is stored as %s", async (cidr, kept) => {
    const path = pathOf("license", await licensed());
    const made = await fixture.owner.api.post(path, { cidr });
    expect(made.body.cidr).toBe(kept);
    await fixture.owner.api.delete(`${path}/${made.body.id}`);
  });

  test.each(["", "localhost", "10.0.0.0/33", "1.2.3", "010.0.0.1", "::/129", "1.2.3.4/", 5, null])(
    "%p is not a network",
    async (cidr) => {
      const { status, body } = await fixture.owner.api.post(pathOf("organization", await licensed()), {
        cidr,
      });
      expect(status).toBe(422);
      expect(body.errors[0].field).toBe("cidr");
    },
  );

  test("server-owned fields and an expiry in the past are refused", async () => {
    const path = pathOf("organization", await licensed());
    const sent = { cidr: "198.18.11.1", id: "x", created_by: "y", level: "platform", tier: "platform" };
    const refused = await fixture.owner.api.post(path, sent);
    expect(refused.body.errors.map((error: { field: string }) => error.field).sort()).toEqual([
      "created_by",
      "id",
      "level",
      "tier",
    ]);
    const past = await fixture.owner.api.post(path, {
      cidr: "198.18.11.1",
      expires_at: "2020-01-01T00:00:00Z",
    });
    expect(past.body.errors[0].field).toBe("expires_at");
    const { body } = await fixture.owner.api.post(path, { cidr: "198.18.11.1" });
    const moved = await fixture.owner.api.patch(`${path}/${body.id}`, { cidr: "0.0.0.0/0" });
    expect(moved.status).toBe(422);
  });

  test("a license has at most 200 blocks, because each validation reads them", async () => {
    const license = await licensed();
    const path = pathOf("license", license);
    await fixture.store.transaction(async (db) => {
      await db
        .insertInto("ip_blocks")
        .values(
          Array.from({ length: 200 }, (_, index) => ({
            id: crypto.randomUUID(),
            tier: "license" as const,
            organization_id: fixture.organizationId,
            scope_id: license.id,
            cidr: `198.20.0.${index}/32`,
            note: null,
            expires_at: null,
            created_at: 1,
            created_by: null,
            updated_at: 1,
          })),
        )
        .execute();
      await db.updateTable("licenses").set({ block_count: 200 }).where("id", "=", license.id).execute();
    });
    const { status, body } = await fixture.owner.api.post(path, { cidr: "198.21.0.1" });
    expect(status).toBe(403);
    expect(body).toMatchObject({ code: "block_limit_reached", params: { limit: 200 } });
  });
});
