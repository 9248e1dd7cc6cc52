import { expect, test } from "bun:test";
import { problemOf } from "../support/answers.ts";
import { auditOf, recorded } from "../support/audit-of.ts";
import { refusal } from "../support/licenses.ts";
import { listPages } from "../support/list-pages.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { newId } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";
import { until } from "../support/until.ts";
import { makeDelivery, makeEndpoint } from "../support/webhooks.ts";

const url = "https://hooks.example.invalid/countersign?a=b";
const shownUrl = "https://hooks.example.invalid/…";

/** The rules for URLs and headers are tables of `packages/domain/webhooks`, and the queries of the store. */
testsOn("postgres", "webhook endpoints", openManageFixture, (fixture) => {
  const pathOf = (id = "") => `/organizations/${fixture.organizationId}/webhooks${id && `/${id}`}`;
  const post = (below: string, body?: object) => fixture.owner.api.post(below, body);
  const create = async (fields: object = {}) => {
    const { body } = await post(pathOf(), { url, ...fields });
    return { ...body, path: pathOf(body.id) };
  };
  const rowOf = async (id: string) => (await fixture.stored("webhook_endpoints", { id }))[0];
  const opened = (sealed = "") => Buffer.from(fixture.store.sealer.open(sealed)).toString();
  /** The secrets of an endpoint, with the end of each. */
  const secretsOf = async (endpoint_id: string) => {
    const rows = await fixture.stored("webhook_secrets", { endpoint_id });
    return Object.fromEntries(rows.map((row) => [opened(row.sealed_secret), row.expires_at]));
  };
  const audited = async (id: string) => (await auditOf(fixture, id)).map(recorded);

  test("an endpoint is created with a secret that is shown once and stored encrypted", async () => {
    const { secret, path, ...made } = await create({
      description: "Shop",
      event_types: ["license.created", "license.created", "license.revoked"],
      product_ids: [fixture.productId],
      headers: { "X-Api-Key": "hidden value", Authorization: "Bearer hidden" },
    });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(made).toMatchObject({
      ...{ url, description: "Shop", format: "standard", status: "enabled", disabled_reason: null },
      event_types: ["license.created", "license.revoked"],
      product_ids: [fixture.productId],
      header_names: ["authorization", "x-api-key"],
      old_secret_until: null,
    });
    expect((await fixture.owner.api.get(path)).body).toEqual(made);
    expect((await fixture.owner.api.get(pathOf())).body.data).toContainEqual(made);
    expect(await secretsOf(made.id)).toEqual({ [secret]: null });
    const row = await rowOf(made.id);
    const headers = { "x-api-key": "hidden value", authorization: "Bearer hidden" };
    expect(JSON.parse(opened(row?.sealed_headers ?? ""))).toEqual(headers);
    const entries = await audited(made.id);
    expect(entries).toMatchObject([{ action: "webhook.created", after: { url: shownUrl } }]);
    expect(JSON.stringify([row, entries])).not.toContain("hidden");
  });

  const manyHeaders = Object.fromEntries(Array.from({ length: 21 }, (_, number) => [`h${number}`, "x"]));
  test.each<[object, string]>([
    [{ url: "ftp://example.com/" }, "url"],
    [{ url: `https://example.com/${"ü".repeat(1_000)}` }, "url"],
    [{ url: "http://[::ffff:10.0.0.1]/" }, "url"],
    [{ event_types: ["endpoint.test"] }, "event_types.0"],
    [{ event_types: [] }, "event_types"],
    [{ product_ids: [] }, "product_ids"],
    [{ product_ids: [newId()] }, "product_ids.0"],
    [{ format: "telegram" }, "format"],
    [{ description: "a\nb" }, "description"],
    [{ headers: { Host: "x" } }, "headers.Host"],
    [{ headers: { a: "x\r\ny" } }, "headers.a"],
    [{ headers: { a: "x", A: "y" } }, "headers"],
    [{ headers: manyHeaders }, "headers"],
  ])("an invalid value is refused and its field is named: %j", async (fields, field) => {
    expect(refusal(await post(pathOf(), { url, ...fields }))).toEqual([422, field]);
  });

  test("an endpoint is changed field by field, and a stale or invalid change is refused", async () => {
    const made = await create({ headers: { a: "1", b: "2" } });
    const unchanged = { "if-match": `"${made.updated_at}"` };
    const changes = { url: "https://hooks.example.invalid/other", event_types: ["quota.warning"] };
    const patch = (body: object, headers = {}) => fixture.owner.api.patch(made.path, body, headers);
    const changed = await patch({ ...changes, headers: { B: null, c: "3" } }, unchanged);
    expect(changed.body).toMatchObject({ ...changes, product_ids: null, header_names: ["a", "c"] });
    expect((await patch({ description: "x", updated_at: made.updated_at })).status).toBe(412);
    expect((await patch({ description: "x" }, unchanged)).status).toBe(412);
    expect((await patch({ url: "http://10.0.0.1/" })).body.errors[0].field).toBe("url");
    expect((await patch({ headers: manyHeaders })).body.errors[0].field).toBe("headers");
    const headers = { headers_set: ["c"], headers_removed: ["b"] };
    expect((await audited(made.id)).at(-1)).toMatchObject({
      action: "webhook.updated",
      before: { event_types: null, url: shownUrl },
      after: { event_types: ["quota.warning"], url_changed: true, ...headers },
    });
  });

  test("an endpoint that is disabled by hand keeps its deliveries, and sends them when it is enabled", async () => {
    const { id, path } = await create();
    const pending = { state: "pending", next_attempt_at: Date.now() + 3_600_000 } as const;
    await makeDelivery({ ...fixture, endpointId: id }, pending);
    const stateOf = async () => (await fixture.owner.api.get(`${path}/deliveries`)).body.data[0].state;
    const disabled = await post(`${path}/disable`);
    expect(disabled.body).toMatchObject({ status: "disabled", disabled_reason: "by_hand" });
    expect(disabled.body.disabled_at).not.toBeNull();
    expect((await post(`${path}/disable`)).body).toEqual(disabled.body);
    expect(await stateOf()).toBe("held");
    for (const below of ["test", "replay"]) expect((await post(`${path}/${below}`)).status).toBe(409);
    const enabled = { status: "enabled", disabled_reason: null, disabled_at: null };
    for (let time = 0; time < 2; time++) expect((await post(`${path}/enable`)).body).toMatchObject(enabled);
    expect(await stateOf()).not.toBe("held");
    const actions = (await audited(id)).map((entry) => entry.action);
    expect(actions).toEqual(["webhook.created", "webhook.disabled", "webhook.enabled"]);
  });

  test("an endpoint that was disabled for failing is probed unless someone decides otherwise", async () => {
    const inAnHour = Date.now() + 3_600_000;
    const disabled = async (auto_reenable: 0 | 1 = 1) => {
      const failing = { status: "disabled", disabled_reason: "failing", disabled_at: 1 } as const;
      const settings = { ...failing, auto_reenable, next_probe_at: auto_reenable === 1 ? inAnHour : null };
      return pathOf((await makeEndpoint(fixture.store, fixture.organizationId, url, settings)).id);
    };
    const nextProbe = async (path: string, changes: object) => {
      const { next_probe_at: next } = (await fixture.owner.api.patch(path, changes)).body;
      return next === null ? null : Date.parse(next);
    };
    const one = await disabled();
    expect(await nextProbe(one, { description: "Other" })).toBe(inAnHour);
    expect(await nextProbe(one, { auto_reenable: false })).toBeNull();
    expect((await audited(one.split("/").at(-1) ?? "")).at(-1)?.after).toEqual({ auto_reenable: false });
    expect(await nextProbe(one, { url: "https://hooks.example.invalid/other" })).toBeNull();
    expect(await nextProbe(await disabled(0), { auto_reenable: true })).toBeLessThanOrEqual(Date.now());
    for (const changes of [{ url: `${url}&c=d` }, { headers: { a: "b" } }])
      expect(await nextProbe(await disabled(), changes)).toBeLessThanOrEqual(Date.now());
    for (const action of ["disable", "enable"])
      expect((await post(`${await disabled()}/${action}`)).body.next_probe_at).toBeNull();
    const { organizationId: organization_id } = fixture;
    await fixture.change("webhook_endpoints", { organization_id, disabled_at: 1 }, { deleted_at: 1 });
  });

  test("a rotated secret and the previous one sign until the overlap ends, and an older one does not", async () => {
    const { id, path } = await create();
    const rotate = (body: object) => post(`${path}/rotate-secret`, body);
    const [first, hour] = [await rotate({}), await rotate({ overlap_seconds: 3600 })];
    const endsAt = Date.parse(hour.body.old_secret_until);
    expect(Math.abs(endsAt - Date.now() - 3_600_000)).toBeLessThan(60_000);
    const both = { [first.body.secret]: endsAt, [hour.body.secret]: null };
    expect(await secretsOf(id)).toEqual(both);
    expect((await fixture.owner.api.get(path)).body.old_secret_until).toBe(hour.body.old_secret_until);
    const now = await rotate({ overlap_seconds: 0 });
    expect(now.body.old_secret_until).toBeNull();
    expect(await secretsOf(id)).toEqual({ [now.body.secret]: null });
    expect((await rotate({ overlap_seconds: 604_801 })).status).toBe(422);
    const audit = JSON.stringify(await audited(id));
    expect(audit).toContain("webhook.secret_rotated");
    for (const { body } of [first, hour, now]) expect(audit).not.toContain(body.secret);
  });

  test("a deleted endpoint is gone immediately, and its data soon after", async () => {
    const { id, path } = await create();
    await makeDelivery({ ...fixture, endpointId: id });
    const { api } = fixture.owner;
    expect((await api.delete(path)).status).toBe(204);
    for (const answer of [
      await api.get(path),
      await api.patch(path, {}),
      await api.get(`${path}/deliveries`),
    ])
      expect(problemOf(answer)).toEqual([404, "webhook_not_found"]);
    expect((await audited(id)).at(-1)?.action).toBe("webhook.deleted");
    await until("its row is removed", async () => (await rowOf(id)) === undefined);
  });

  test("a viewer sees only the host of a chat URL, and endpoints are listed in pages", async () => {
    const chat = "https://discord.example.invalid/api/webhooks/1/secret-token";
    const [made, plain] = [await create({ url: chat, format: "discord" }), await create()];
    const viewer = await fixture.member(["webhooks:view"]);
    const manager = await fixture.member(["webhooks:manage"]);
    const seen = async ({ api }: typeof viewer, path: string) => (await api.get(path)).body.url;
    expect(await seen(viewer, made.path)).toBe("https://discord.example.invalid/…");
    expect(await seen(viewer, plain.path)).toBe(url);
    expect(await seen(manager, made.path)).toBe(chat);
    expect(JSON.stringify(await audited(made.id))).not.toContain("secret-token");
    const ids = (await listPages(viewer.api, `${pathOf()}?limit=2`)).flat();
    expect(ids.slice(-2)).toEqual([made.id, plain.id]);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
