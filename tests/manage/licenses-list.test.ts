import { beforeAll, expect, test } from "bun:test";
import { allRows } from "../support/answers.ts";
import { licensesOf, refusal } from "../support/licenses.ts";
import type { ManageAnswer } from "../support/manage-client.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { testsOn } from "../support/tests-on.ts";

const oddTag = `%_\\'"; drop table licenses 😀*ﬁ|<b>`;

/** What each filter finds is tested in packages/store/queries/licenses. */
testsOn("sqlite", "listing and searching licenses", openManageFixture, (fixture) => {
  const licenses = licensesOf(fixture);
  let path: string;
  let otherProductId: string;
  const made: Record<string, ManageAnswer["body"]> = {};
  beforeAll(async () => {
    path = `/organizations/${fixture.organizationId}/licenses`;
    otherProductId = (await licenses.newProduct()).id;
    const create = async (name: string, body: object, productId = fixture.productId) => {
      const common = { license_key: `key-${name}`, customer_email: `${name}@example.com` };
      made[name] = await licenses.create({ ...common, ...body }, productId);
    };
    await create("plain", {});
    await create("expired", { expires_at: "2020-01-01T00:00:00Z" });
    await create("soon", { expires_in_seconds: 3 * 86_400, tags: ["VIP", oddTag] });
    await create("noted", { expires_in_seconds: 30 * 86_400, notes: "Paid 100% by Ada_Lovelace" });
    await create("revoked", { customer_name: "Žofie Nováková" });
    await create("elsewhere", { tags: ["VIP"] }, otherProductId);
    await licenses.act(made.revoked?.id ?? "", "revoke");
    await licenses.act(made.noted?.id ?? "", "ips", { ip: "203.0.113.1" });
    await licenses.validate("key-plain");
  });

  const names = (data: { license_key: string }[]) => data.map((one) => one.license_key.replace("key-", ""));
  const list = async (query: string, at = path) => (await fixture.owner.api.get(`${at}?${query}`)).body;

  test("each parameter of the list of licenses has its effect, also on the pages and the count", async () => {
    const all = ["elsewhere", "revoked", "noted", "soon", "expired", "plain"];
    const queries: [query: string, found: string[]][] = [
      ["", all],
      ["order=asc", all.toReversed()],
      ["sort=updated_at&order=asc&has_notes=true", ["noted"]],
      ["sort=expires_at&order=asc&never_used=true&status=active", ["soon", "noted", "elsewhere"]],
      ["status=expired", ["expired"]],
      ["tag=VIP", ["elsewhere", "soon"]],
      [`tag=${encodeURIComponent(oddTag)}`, ["soon"]],
      ["expires_within_days=7", ["soon"]],
      ["never_used=false&min_ips=1", ["plain"]],
      [`product_id=${otherProductId}`, ["elsewhere"]],
      [`customer_id=${made.noted?.global_customer_id}`, ["noted"]],
      ["q=nováková%20ŽOFIE", ["revoked"]],
      ["product_id=nothing", []],
    ];
    for (const q of ["%%%", "___", "'''", '"""', "***", "OR NOT", "a|b", "(((", "\\\\\\"])
      queries.push([`q=${encodeURIComponent(q)}`, []]);
    for (const [query, found] of queries) {
      const { data, ...rest } = await list(`${query}&count=true`);
      expect([query, names(data)]).toEqual([query, found]);
      expect(rest).toMatchObject({ next_cursor: null, total: found.length, total_is_exact: true });
    }
    const paged = await allRows(fixture.owner.api, `${path}?status=active`);
    expect(names(paged)).toEqual(["elsewhere", "noted", "soon", "plain"]);
    expect(names((await list("", `/products/${otherProductId}/licenses`)).data)).toEqual(["elsewhere"]);
    await licenses.patch(made.soon?.id ?? "", { max_ips: 5 });
    expect(names((await list("sort=updated_at&limit=1")).data)).toEqual(["soon"]);
  });

  test("a cursor of licenses is valid for one list and one order", async () => {
    const { next_cursor: cursor } = await list("limit=1");
    const [name, at, last] = JSON.parse(Buffer.from(cursor, "base64url").toString());
    const forged = [
      ...["1", 1.5].map((wrong) => [name, wrong, last]),
      ...["a\u0000", 5].map((wrong) => [name, at, wrong]),
      [name, at],
      ["bulk ids", at, last],
    ].map((values) => Buffer.from(JSON.stringify(values)).toString("base64url"));
    const audit = await fixture.owner.api.get(`/organizations/${fixture.organizationId}/audit-log?limit=1`);
    const refused = [
      ...[...forged, "", "nonsense"].map((wrong) => `${path}?cursor=${wrong}`),
      ...["sort=expires_at", "sort=updated_at", "order=asc"].map((by) => `${path}?${by}&cursor=${cursor}`),
      `${path}?cursor=${audit.body.next_cursor}`,
      `/licenses/${made.plain?.id}/ips?cursor=${cursor}`,
    ];
    for (const one of refused)
      expect([one, ...refusal(await fixture.owner.api.get(one))]).toEqual([one, 422, "cursor"]);
    for (const foreign of [cursor, "", "x"]) {
      const order = { action: "revoke", selection: { ids: [made.plain?.id] }, cursor: foreign };
      expect(refusal(await licenses.bulk(order))).toEqual([422, "cursor"]);
    }
  });
});
