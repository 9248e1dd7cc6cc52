import { expect, test } from "bun:test";
import type { OrganizationRow } from "@countersign/store/tables/organizations";
import { addLicense } from "../support/add-license.ts";
import { problemOf, statusesAtOnce } from "../support/answers.ts";
import { apiOf } from "../support/api.ts";
import { auditOf } from "../support/audit-of.ts";
import { licensesOf, refusal } from "../support/licenses.ts";
import { listPages } from "../support/list-pages.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { testsOn } from "../support/tests-on.ts";

/** What a version or line is, and which of several decides: packages/domain/versions. */
testsOn("postgres", "versions", openManageFixture, (fixture) => {
  const product = async () => {
    const settings = { version_module_enabled: true };
    const { id, api_key: apiKey } = await licensesOf(fixture).newProduct(settings);
    const { key } = await addLicense(fixture, { productId: id });
    const path = `/products/${id}/versions`;
    const { api } = fixture.owner;
    return {
      ...{ id: String(id), path },
      validate: async (version: string) =>
        (await apiOf(fixture.server.url, apiKey).validate({ license_key: key, version })).body,
      add: (version: unknown, state?: string) => api.post(path, { version, state }),
      set: (version: string, state: string) => api.patch(`${path}/${version}`, { state }),
      remove: async (version: string) => (await api.delete(`${path}/${encodeURIComponent(version)}`)).status,
      put: (versions: unknown, revision?: number) => api.put(path, { versions, revision }),
      list: async () => (await listPages(api, path, ({ version, state }) => `${version} ${state}`)).flat(),
    };
  };

  test("a version's state applies from the next request, in whatever spelling the version is named", async () => {
    const { validate, add, set, remove, list } = await product();
    const verdict = async (version: string) => (await validate(version)).version_valid;
    expect(await verdict("2.1.3")).toBe(false);
    expect((await add("2.1.x")).status).toBe(201);
    expect(await verdict("2.1.3")).toBe(true);
    await add("2.1.3", "blocked");
    expect([await verdict("2.1.3"), await verdict("2.1.4")]).toEqual([false, true]);
    expect((await set("v2.1.3.0", "deprecated")).body).toMatchObject({
      version: "2.1.3",
      state: "deprecated",
    });
    expect(await verdict("2.1.3")).toBe(true);
    expect([await remove("2.1.X"), await remove("2.1.x")]).toEqual([204, 404]);
    expect(await verdict("2.1.4")).toBe(false);
    expect((await set("nonsense", "allowed")).status).toBe(404);

    for (const version of ["2.1.3", " v2.1.3.0+build "]) {
      const answer = await add(version);
      expect(refusal(answer)).toEqual([409, "version"]);
      const params = { existing: "2.1.3", state: "deprecated" };
      expect(answer.body).toMatchObject({ code: "version_exists", params });
    }
    expect(await statusesAtOnce(6, () => add("3.0.0"))).toEqual([201, 409, 409, 409, 409, 409]);
    expect(await list()).toEqual(["3.0.0 allowed", "2.1.3 deprecated"]);
  });

  /** The order: packages/domain/versions/catalog.test.ts. */
  test("versions are listed by precedence, newest first, in pages", async () => {
    const { put, path } = await product();
    const newestFirst = ["2.0.0", "2.0.0-beta.2", "2.x", "1.10.0", "v1.2"];
    await put(newestFirst.toSorted().map((version) => ({ version, state: "allowed" })));
    const pages = await listPages(fixture.owner.api, `${path}?limit=2`, ({ version }) => version);
    expect(pages).toEqual([newestFirst.slice(0, 2), newestFirst.slice(2, 4), newestFirst.slice(4)]);
  });

  test("one version is the latest, even after concurrent changes", async () => {
    const { add, list, set } = await product();
    await add("1.0.0", "latest");
    await add("2.0.0");
    expect((await set("2.0.0", "latest")).body.state).toBe("latest");
    expect(await list()).toEqual(["2.0.0 latest", "1.0.0 allowed"]);
    const racing = await statusesAtOnce(8, (index) => add(`3.0.${index}`, "latest"));
    expect(racing).toEqual(Array(8).fill(201));
    expect((await list()).filter((line) => line.endsWith("latest"))).toHaveLength(1);
  });

  test("a version that is none, or contradicts itself, is refused", async () => {
    const { add, put, list } = await product();
    await add("2.x", "latest");
    for (const version of ["", "1.x.2", "latest", 7])
      expect([version, ...refusal(await add(version))]).toEqual([version, 422, "version"]);
    const wrong: [field: string, first: [string, string], second: [string, string]][] = [
      ["versions.1.version", ["1.0", "allowed"], ["1.0.0", "blocked"]],
      ["versions.1.state", ["1.0", "latest"], ["2.0", "latest"]],
    ];
    for (const [field, ...both] of wrong)
      expect(refusal(await put(both.map(([version, state]) => ({ version, state }))))).toEqual([422, field]);
    expect(await list()).toEqual(["2.x latest"]);
  });

  test("the whole list of versions can be replaced unless it is stale, and remaining ones keep their dates", async () => {
    const { add, list, put, path, id } = await product();
    const revision = async (): Promise<number> => (await fixture.owner.api.get(path)).body.revision;
    const first = await add("1.0.0", "latest");
    const seen = await revision();
    await add("1.1.0");
    const stale = await put([{ version: "2.0", state: "latest" }], seen);
    expect(problemOf(stale)).toEqual([412, "versions_changed_meanwhile"]);
    expect(await list()).toEqual(["1.1.0 allowed", "1.0.0 latest"]);
    const versions = [
      { version: "1.0", state: "deprecated" },
      { version: "2.x", state: "latest" },
    ];
    const replaced = await put(versions, await revision());
    expect([replaced.status, replaced.body.revision]).toEqual([200, await revision()]);
    expect(await list()).toEqual(["2.x latest", "1.0 deprecated"]);
    expect(replaced.body.data[1].created_at).toBe(first.body.created_at);
    const log = (await auditOf(fixture, id)).slice(1);
    expect(log.map(({ action, before, after }) => [action, before, after])).toEqual([
      ["product.version_added", null, '{"1.0.0":"latest"}'],
      ["product.version_added", null, '{"1.1.0":"allowed"}'],
      [
        "product.versions_replaced",
        '{"1.0.0":"latest","1.1.0":"allowed"}',
        '{"1.0":"deprecated","2.x":"latest"}',
      ],
    ]);
    const many = Array.from({ length: 5_000 }, (_, index) => ({ version: `9.0.${index}`, state: "allowed" }));
    expect((await put(many)).body.data).toHaveLength(5_000);
    expect((await add("9.1.0")).status).toBe(403);
    expect((await put([])).status).toBe(200);
    expect(await list()).toEqual([]);
  });

  /** Which versions are refused then: packages/store/suite/versions.ts. */
  test("after a downgrade, versions are refused until the organization chooses, and no product starts checking", async () => {
    const changeOrganization = (change: Partial<OrganizationRow>) =>
      fixture.change("organizations", { id: fixture.organizationId }, change);
    const { id, validate, add } = await product();
    await add("1.0.0", "blocked");
    await changeOrganization({ plan: "free" });
    expect(await validate("1.0.0")).toMatchObject({ valid: false, status: "version_not_allowed" });
    const { api: owner } = fixture.owner;
    const path = `/organizations/${fixture.organizationId}`;
    const turnOn = { version_module_enabled: true };
    const notInPlan = { code: "version_module_not_in_plan", params: { plan: "Free" } };
    const more = await owner.post(`${path}/products`, { name: "More", ...turnOn });
    expect(more).toMatchObject({ status: 403, body: notInPlan });
    const { body: other } = await owner.post(`${path}/products`, { name: "Other" });
    expect((await owner.patch(`/products/${other.id}`, turnOn)).body).toMatchObject(notInPlan);
    expect((await owner.patch(`/products/${id}`, turnOn)).status).toBe(200);
    const [before, after] = ["enforce", "report"].map((text) => ({ version_checks_on_downgrade: text }));
    expect((await owner.patch(path, after)).body).toMatchObject(after ?? {});
    expect(await validate("1.0.0")).toMatchObject({ valid: true, status: "active", version_valid: false });
    const log = await owner.get(`${path}/audit-log?action=organization.updated&limit=1`);
    expect(log.body.data).toMatchObject([{ before, after }]);
    await changeOrganization({ plan: "enterprise" });
    expect((await owner.patch(`/products/${other.id}`, turnOn)).status).toBe(200);
  });
});
