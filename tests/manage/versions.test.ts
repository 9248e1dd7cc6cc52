import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { OrganizationRow } from "@countersign/store/tables";
import { addLicense } from "../support/add-license.ts";
import { apiOf } from "../support/api.ts";
import { databases } from "../support/databases.ts";
import { type ManageFixture, openSharedManageFixture } from "../support/manage-fixture.ts";

interface Version {
  readonly version: string;
  readonly state: string;
}

describe.each(databases)("versions on $kind", ({ make }) => {
  let fixture: ManageFixture;
  beforeAll(async () => {
    fixture = await openSharedManageFixture(make);
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
      list: async (query = "") => {
        const listed = await fixture.owner.api.get(`${path}${query}`);
        return listed.body.data.map(({ version, state }: Version) => `${version} ${state}`) as string[];
      },
    };
  };

  test("a version's state applies from the next request", async () => {
    const { id, path, api, add } = await product();
    const { key } = await addLicense(fixture, { productId: id });
    const verdict = async (version: string) =>
      (await api.validate({ license_key: key, version })).body.version_valid;
    expect(await verdict("2.1.3")).toBe(false);
    expect((await add("2.1.x")).status).toBe(201);
    expect(await verdict("2.1.3")).toBe(true);
    await add("2.1.3", "blocked");
    expect(await verdict("2.1.3")).toBe(false);
    expect(await verdict("2.1.4")).toBe(true);
    expect((await fixture.owner.api.patch(`${path}/2.1.3`, { state: "deprecated" })).body.state).toBe(
      "deprecated",
    );
    expect(await verdict("2.1.3")).toBe(true);
    expect((await fixture.owner.api.delete(`${path}/2.1.x`)).status).toBe(204);
    expect(await verdict("2.1.4")).toBe(false);
  });

  test("versions are listed by precedence, newest first, in pages", async () => {
    const { add, list, path } = await product();
    for (const version of ["1.9.0", "1.10.0", "2.0.0-beta.2", "2.0.0", "2.x", "v1.2", "2.0.0-beta.10"]) {
      expect((await add(version)).status).toBe(201);
    }
    const all = await list();
    expect(all.map((line) => line.split(" ")[0])).toEqual([
      "2.0.0",
      "2.0.0-beta.10",
      "2.0.0-beta.2",
      "2.x",
      "1.10.0",
      "1.9.0",
      "v1.2",
    ]);
    const pages: string[] = [];
    let cursor: string | null = null;
    do {
      const page: string = cursor === null ? "?limit=3" : `?limit=3&cursor=${cursor}`;
      const { body } = await fixture.owner.api.get(path + page);
      pages.push(...body.data.map(({ version, state }: Version) => `${version} ${state}`));
      cursor = body.next_cursor;
    } while (cursor !== null);
    expect(pages).toEqual(all);
  });

  test("one version is the latest, and a new one replaces it", async () => {
    const { add, list, path } = await product();
    await add("1.0.0", "latest");
    await add("2.0.0", "latest");
    expect(await list()).toEqual(["2.0.0 latest", "1.0.0 allowed"]);
    await fixture.owner.api.patch(`${path}/1.0.0`, { state: "latest" });
    expect(await list()).toEqual(["2.0.0 allowed", "1.0.0 latest"]);
  });

  test("concurrent changes of the latest leave one", async () => {
    const { add, list } = await product();
    const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => add(`1.0.${index}`, "latest")));
    expect(answers.map((answer) => answer.status)).toEqual(Array(8).fill(201));
    expect((await list()).filter((line) => line.endsWith("latest"))).toHaveLength(1);
  });

  test("an existing version, in any spelling, is a conflict that names it", async () => {
    const { add, list } = await product();
    await add("2.1", "deprecated");
    for (const version of ["2.1", "v2.1.0", "2.1.0.0+build", " 2.1.0 "]) {
      const { status, body } = await add(version);
      expect(status).toBe(409);
      expect(body).toMatchObject({
        code: "version_exists",
        params: { existing: "2.1", state: "deprecated" },
      });
      expect(body.errors[0].field).toBe("version");
    }
    expect(await list()).toEqual(["2.1 deprecated"]);
    const racing = await Promise.all(Array.from({ length: 6 }, () => add("3.0.0")));
    expect(racing.map((answer) => answer.status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
  });

  test("a version can be addressed in any spelling", async () => {
    const { add, path, list } = await product();
    await add("2.1.0+build.5");
    expect((await fixture.owner.api.patch(`${path}/v2.1`, { state: "blocked" })).body.version).toBe(
      "2.1.0+build.5",
    );
    expect((await fixture.owner.api.delete(`${path}/${encodeURIComponent("2.1.0+x")}`)).status).toBe(204);
    expect(await list()).toEqual([]);
    expect((await fixture.owner.api.delete(`${path}/2.1`)).status).toBe(404);
    expect((await fixture.owner.api.patch(`${path}/nonsense`, { state: "allowed" })).status).toBe(404);
  });

  test.each(["", "x", "1.x.2", "1.2.3.4.5", "latest", "1..2", 7])("%p is not a version", async (version) => {
    const { add } = await product();
    const { status, body } = await add(version);
    expect(status).toBe(422);
    expect(body.errors[0].field).toBe("version");
  });

  test("replacing a stale list is refused, and nothing is lost", async () => {
    const { add, list, path } = await product();
    const revision = async () => (await fixture.owner.api.get(path)).body.revision as number;
    const put = (seen: number | undefined) =>
      fixture.owner.api.put(path, { versions: [{ version: "2.0", state: "latest" }], revision: seen });
    await add("1.0.0");
    const seen = await revision();
    await add("1.1.0");
    const refused = await put(seen);
    expect(refused.status).toBe(412);
    expect(refused.body.code).toBe("versions_changed_meanwhile");
    expect(await list()).toEqual(["1.1.0 allowed", "1.0.0 allowed"]);
    const replaced = await put(await revision());
    expect(replaced.status).toBe(200);
    expect(replaced.body.revision).toBe(await revision());
    expect((await put(undefined)).status).toBe(200);
  });

  test("the whole list can be replaced, and remaining versions keep their dates", async () => {
    const { add, list, path, id } = await product();
    const first = await add("1.0.0", "latest");
    await add("1.1.0");
    const put = (versions: unknown) => fixture.owner.api.put(path, { versions });
    const replaced = await put([
      { version: "1.0", state: "deprecated" },
      { version: "2.x", state: "latest" },
    ]);
    expect(replaced.status).toBe(200);
    expect(await list()).toEqual(["2.x latest", "1.0 deprecated"]);
    expect(replaced.body.data[1].created_at).toBe(first.body.created_at);
    const twice = await put([
      { version: "1.0", state: "allowed" },
      { version: "1.0.0", state: "blocked" },
    ]);
    expect(twice.status).toBe(422);
    expect(twice.body.errors[0].field).toBe("versions.1.version");
    const twoLatest = await put([
      { version: "1.0", state: "latest" },
      { version: "2.0", state: "latest" },
    ]);
    expect(twoLatest.body.errors[0].field).toBe("versions.1.state");
    expect(await list()).toEqual(["2.x latest", "1.0 deprecated"]);
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
    expect(rows.map((row) => row.action).slice(0, 4)).toEqual([
      "product.created",
      "product.version_added",
      "product.version_added",
      "product.versions_replaced",
    ]);
    expect(rows[3]).toMatchObject({
      before: '{"1.0.0":"latest","1.1.0":"allowed"}',
      after: '{"1.0":"deprecated","2.x":"latest"}',
    });
  });

  test("reading needs products:view, changing products:manage, and outsiders get 404", async () => {
    const { path, add } = await product();
    await add("1.0.0");
    const viewer = await fixture.member(["products:view"]);
    const other = await fixture.member(["licenses:view"]);
    const outsider = await fixture.person();
    const writes = (api: typeof viewer.api) => [
      api.post(path, { version: "5.0.0" }),
      api.put(path, { versions: [] }),
      api.patch(`${path}/1.0.0`, { state: "blocked" }),
      api.delete(`${path}/1.0.0`),
    ];
    expect((await viewer.api.get(path)).status).toBe(200);
    expect((await other.api.get(path)).status).toBe(403);
    expect((await outsider.api.get(path)).status).toBe(404);
    for (const call of writes(viewer.api)) expect((await call).status).toBe(403);
    for (const call of writes(outsider.api)) expect((await call).status).toBe(404);
  });

  const changeOrganization = (change: Partial<OrganizationRow>) =>
    fixture.store.transaction((db) =>
      db.updateTable("organizations").set(change).where("id", "=", fixture.organizationId).execute(),
    );

  test("without a plan that ever included them, versions are stored and have no effect", async () => {
    const { id, api, add } = await product();
    const { key } = await addLicense(fixture, { productId: id });
    await add("1.0.0", "blocked");
    await changeOrganization({ plan: "free", had_version_module: 0 });
    const answer = await api.validate({ license_key: key, version: "1.0.0" });
    await changeOrganization({ plan: "enterprise", had_version_module: 1 });
    expect(answer.body).toMatchObject({ valid: true, version: null, version_valid: null });
  });

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
