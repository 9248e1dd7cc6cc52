import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { OrganizationRow } from "@countersign/store/tables";
import { addLicense } from "../support/add-license.ts";
import { apiOf } from "../support/api.ts";
import { on } from "../support/databases.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";

interface Version {
  readonly version: string;
  readonly state: string;
}

describe.each(on("postgres"))("versions on $kind", ({ make }) => {
  let fixture: ManageFixture;
  beforeAll(async () => {
    fixture = await openManageFixture(make);
  });
  afterAll(() => fixture.close());

  const product = async () => {
    const { body } = await fixture.owner.api.post(`/organizations/${fixture.organizationId}/products`, {
      name: "Versioned",
      version_module_enabled: true,
    });
    const path = `/products/${body.id}/versions`;
    return {
      id: String(body.id),
      path,
      api: apiOf(fixture.server.url, body.api_key),
      add: (version: unknown, state?: string) => fixture.owner.api.post(path, { version, state }),
      set: (version: string, state: string) => fixture.owner.api.patch(`${path}/${version}`, { state }),
      remove: (version: string) => fixture.owner.api.delete(`${path}/${encodeURIComponent(version)}`),
      put: (versions: unknown, revision?: number) => fixture.owner.api.put(path, { versions, revision }),
      list: async (query = "") => {
        const listed = await fixture.owner.api.get(`${path}${query}`);
        return listed.body.data.map(({ version, state }: Version) => `${version} ${state}`) as string[];
      },
    };
  };

  test("a version's state applies from the next request", async () => {
    const { id, api, add, set, remove } = await product();
    const { key } = await addLicense(fixture, { productId: id });
    const verdict = async (version: string) =>
      (await api.validate({ license_key: key, version })).body.version_valid;
    expect(await verdict("2.1.3")).toBe(false);
    expect((await add("2.1.x")).status).toBe(201);
    expect(await verdict("2.1.3")).toBe(true);
    await add("2.1.3", "blocked");
    expect([await verdict("2.1.3"), await verdict("2.1.4")]).toEqual([false, true]);
    expect((await set("2.1.3", "deprecated")).body.state).toBe("deprecated");
    expect(await verdict("2.1.3")).toBe(true);
    expect((await remove("2.1.x")).status).toBe(204);
    expect(await verdict("2.1.4")).toBe(false);
  });

  test("versions are listed by precedence, newest first, in pages", async () => {
    const { put, list, path } = await product();
    const newestFirst = ["2.0.0", "2.0.0-beta.10", "2.0.0-beta.2", "2.x", "1.10.0", "1.9.0", "v1.2"];
    await put(newestFirst.toSorted().map((version) => ({ version, state: "allowed" })));
    expect(await list()).toEqual(newestFirst.map((version) => `${version} allowed`));
    const pages: string[] = [];
    let cursor: string | null = null;
    do {
      const page: string = cursor === null ? "?limit=3" : `?limit=3&cursor=${cursor}`;
      const { body } = await fixture.owner.api.get(path + page);
      pages.push(...body.data.map(({ version }: Version) => version));
      cursor = body.next_cursor;
    } while (cursor !== null);
    expect(pages).toEqual(newestFirst);
  });

  test("one version is the latest, even after concurrent changes", async () => {
    const { add, list, set } = await product();
    await add("1.0.0", "latest");
    await add("2.0.0", "latest");
    expect(await list()).toEqual(["2.0.0 latest", "1.0.0 allowed"]);
    await set("1.0.0", "latest");
    expect(await list()).toEqual(["2.0.0 allowed", "1.0.0 latest"]);
    const racing = await Promise.all(Array.from({ length: 8 }, (_, index) => add(`3.0.${index}`, "latest")));
    expect(racing.map(({ status }) => status)).toEqual(Array(8).fill(201));
    expect((await list()).filter((line) => line.endsWith("latest"))).toHaveLength(1);
  });

  test("an existing version, in any spelling, is a conflict that names it", async () => {
    const { add, list } = await product();
    await add("2.1", "deprecated");
    for (const version of ["2.1", "v2.1.0", "2.1.0.0+build", " 2.1.0 "]) {
      const { status, body } = await add(version);
      expect([status, body.errors[0].field]).toEqual([409, "version"]);
      expect(body).toMatchObject({
        code: "version_exists",
        params: { existing: "2.1", state: "deprecated" },
      });
    }
    expect(await list()).toEqual(["2.1 deprecated"]);
    const racing = await Promise.all(Array.from({ length: 6 }, () => add("3.0.0")));
    expect(racing.map((answer) => answer.status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
  });

  test("a version can be addressed in any spelling", async () => {
    const { add, set, remove, list } = await product();
    await add("2.1.0+build.5");
    expect((await set("v2.1", "blocked")).body.version).toBe("2.1.0+build.5");
    expect((await remove("2.1.0+x")).status).toBe(204);
    expect(await list()).toEqual([]);
    expect([(await remove("2.1")).status, (await set("nonsense", "allowed")).status]).toEqual([404, 404]);
  });

  test("what is not a version, or contradicts itself, is refused", async () => {
    const { add, put, list } = await product();
    await add("2.x", "latest");
    for (const version of ["", "x", "1.x.2", "1.2.3.4.5", "latest", "1..2", 7]) {
      const { status, body } = await add(version);
      expect([version, status, body.errors[0].field]).toEqual([version, 422, "version"]);
    }
    const wrong: [field: string, first: [string, string], second: [string, string]][] = [
      ["versions.1.version", ["1.0", "allowed"], ["1.0.0", "blocked"]],
      ["versions.1.state", ["1.0", "latest"], ["2.0", "latest"]],
    ];
    for (const [field, ...both] of wrong) {
      const { status, body } = await put(both.map(([version, state]) => ({ version, state })));
      expect([status, body.errors[0].field]).toEqual([422, field]);
    }
    expect(await list()).toEqual(["2.x latest"]);
  });

  test("replacing a stale list is refused, and nothing is lost", async () => {
    const { add, list, path, put } = await product();
    const revision = async () => (await fixture.owner.api.get(path)).body.revision as number;
    const replace = (seen?: number) => put([{ version: "2.0", state: "latest" }], seen);
    await add("1.0.0");
    const seen = await revision();
    await add("1.1.0");
    const refused = await replace(seen);
    expect([refused.status, refused.body.code]).toEqual([412, "versions_changed_meanwhile"]);
    expect(await list()).toEqual(["1.1.0 allowed", "1.0.0 allowed"]);
    const replaced = await replace(await revision());
    expect([replaced.status, replaced.body.revision]).toEqual([200, await revision()]);
    expect((await replace()).status).toBe(200);
  });

  test("the whole list can be replaced, and remaining versions keep their dates", async () => {
    const { add, list, put, id } = await product();
    const first = await add("1.0.0", "latest");
    await add("1.1.0");
    const replaced = await put([
      { version: "1.0", state: "deprecated" },
      { version: "2.x", state: "latest" },
    ]);
    expect(replaced.status).toBe(200);
    expect(await list()).toEqual(["2.x latest", "1.0 deprecated"]);
    expect(replaced.body.data[1].created_at).toBe(first.body.created_at);
    const many = Array.from({ length: 5_000 }, (_, index) => ({ version: `9.0.${index}`, state: "allowed" }));
    expect((await put(many)).body.data).toHaveLength(5_000);
    expect((await add("9.1.0")).status).toBe(403);
    expect((await put([])).status).toBe(200);
    expect(await list()).toEqual([]);
    const rows = await fixture.store.reads
      .selectFrom("audit_log")
      .select(["action", "before", "after"])
      .where("subject_id", "=", id)
      .orderBy("id")
      .execute();
    const added = { action: "product.version_added" };
    expect(rows.slice(0, 4)).toMatchObject([
      { action: "product.created" },
      added,
      added,
      {
        action: "product.versions_replaced",
        before: '{"1.0.0":"latest","1.1.0":"allowed"}',
        after: '{"1.0":"deprecated","2.x":"latest"}',
      },
    ]);
  });

  const changeOrganization = (change: Partial<OrganizationRow>) =>
    fixture.store.transaction((db) =>
      db.updateTable("organizations").set(change).where("id", "=", fixture.organizationId).execute(),
    );

  test("after a downgrade, versions are refused until the organization chooses", async () => {
    const { id, api, add } = await product();
    const { key } = await addLicense(fixture, { productId: id });
    await add("1.0.0", "blocked");
    const { api: owner } = fixture.owner;
    const path = `/organizations/${fixture.organizationId}`;
    const answer = async () => (await api.validate({ license_key: key, version: "1.0.0" })).body;
    const refused = { valid: false, status: "version_not_allowed", version_valid: false };
    expect(await answer()).toMatchObject(refused);
    await changeOrganization({ plan: "free" });
    expect(await answer()).toMatchObject(refused);
    // What works since the earlier plan cannot be extended.
    const more = await owner.post(`${path}/products`, { name: "More", version_module_enabled: true });
    expect([more.status, more.body.code, more.body.params]).toEqual([
      403,
      "version_module_not_in_plan",
      { plan: "Free" },
    ]);
    const { body: other } = await owner.post(`${path}/products`, { name: "Other" });
    const turnOn = { version_module_enabled: true };
    expect((await owner.patch(`/products/${other.id}`, turnOn)).body.code).toBe("version_module_not_in_plan");
    expect((await owner.patch(`/products/${id}`, turnOn)).status).toBe(200);
    const chosen = await owner.patch(path, { version_checks_on_downgrade: "report" });
    expect(chosen.body.version_checks_on_downgrade).toBe("report");
    expect(await answer()).toMatchObject({ valid: true, status: "active", version_valid: false });
    const log = await owner.get(`${path}/audit-log?action=organization.updated&limit=1`);
    expect(log.body.data).toMatchObject([
      {
        before: { version_checks_on_downgrade: "enforce" },
        after: { version_checks_on_downgrade: "report" },
      },
    ]);
    await changeOrganization({ plan: "enterprise" });
    expect(await answer()).toMatchObject(refused);
    expect((await owner.patch(`/products/${other.id}`, turnOn)).status).toBe(200);
  });
});
