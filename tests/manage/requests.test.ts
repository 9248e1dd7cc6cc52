import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { logRequests } from "../support/journal.ts";
import { licensesOf, refusal } from "../support/licenses.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { newId } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);

/** Of these requests only: the platform's pages show what all organizations of the server received from an IP address. */
const ip = `198.18.${Math.floor(Math.random() * 256)}.${Math.floor(Math.random() * 256)}`;
const from = { "x-forwarded-for": ip };
const expires = "2100-01-01T00:00:00.000Z";

interface Page {
  readonly data: { readonly id: string; readonly ip: string; readonly duration_ms: number }[];
  readonly next_cursor: string | null;
  readonly searched_until: string | null;
}

/** What each filter finds: packages/store/suite/request-search.ts. */
testsOn("postgres", "request log", openManageFixture, (fixture) => {
  const startedAt = new Date().toISOString();
  let path: string;
  let license: { id: string; license_key: string };
  /** The request IDs of what is sent at the start, by what it is. */
  const sent: Record<string, string> = {};
  beforeAll(async () => {
    path = `/organizations/${fixture.organizationId}/requests`;
    const { create, act } = licensesOf(fixture);
    const customer = { customer_email: "carla@example.com", customer_name: "=Carla" };
    license = await create({ ...customer, max_ips: 1, expires_at: expires });
    const { license_key } = license;
    const { validate, lookup, validateRaw } = fixture.publicApi;
    const idOf = ({ headers }: { headers: Headers }) => headers.get("x-request-id") ?? "";
    sent.active = idOf(await validate({ license_key, version: "1.2.3", device_id: "laptop" }, from));
    sent.unknown = idOf(await validate({ license_key: "NONE-NONE-NONE-NONE", device_id: "phone" }, from));
    sent.malformed = idOf(await validate({}, from));
    sent.found = idOf(await lookup(license_key, from));
    sent.large = idOf(await validateRaw("x".repeat(100_000), from));
    await act(license.id, "revoke");
    sent.revoked = idOf(await validate({ license_key }, from));
    const ids = Object.values(sent);
    await until("all are in the log", async () => {
      const { data } = await list();
      return ids.every((id) => data.some((request) => request.id === id));
    });
  });

  const get = async (at: string) => (await fixture.owner.api.get(at)).body;
  /** A page that ended early, because its time was over on a busy machine, is continued. */
  const list = async (query = "", below = path): Promise<Page> => {
    const body = await get(`${below}${query}`);
    if (body.searched_until === null) return body;
    const { searchParams } = new URL(query, "http://localhost");
    searchParams.set("cursor", body.next_cursor);
    const rest = await list(`?${searchParams}`, below);
    return { ...rest, data: [...body.data, ...rest.data] };
  };

  test("the request log has every request with what was decided, newest first and page by page", async () => {
    const { data, ...rest } = await list();
    expect(data.map(({ id }) => id)).toEqual(Object.values(sent).reverse());
    expect(rest).toMatchObject({ next_cursor: null, searched_until: null });
    const known = { license_id: license.id, license_key: license.license_key, customer_name: "=Carla" };
    const unknown = { license_id: null, license_key: null, customer_name: null };
    const common = {
      ...{ endpoint: "validate", product_id: fixture.productId, product_name: "Plugin", ip, count: 1 },
      ...{ version: null, device_id: null, problem: null, sandbox: false, facts: null },
    };
    const facts = { expires_at: expires, ip_count: 1, max_ips: 1, version: null };
    const problem = expect.stringContaining("no license_key");
    expect(data).toMatchObject([
      { ...common, ...known, outcome: "revoked", facts },
      { ...common, ...unknown, outcome: "body_too_large" },
      { ...common, ...known, outcome: "found", endpoint: "lookup" },
      { ...common, ...unknown, outcome: "license_not_found", problem },
      { ...common, ...unknown, outcome: "license_not_found", device_id: "phone" },
      { ...common, ...known, outcome: "active", version: "1.2.3", device_id: "laptop" },
    ]);
    for (const { duration_ms } of data) expect(duration_ms).toBeWithin(0.001, 60_000);
    expect(await get(`${path}/${sent.revoked}`)).toEqual(data[0]);
    const first = await list("?limit=4");
    const second = await list(`?limit=4&cursor=${first.next_cursor}`);
    expect([...first.data, ...second.data]).toEqual(data);
    expect(second.next_cursor).toBeNull();
  });

  test("each parameter of the request log has its effect", async () => {
    const { data } = await list();
    const names = new Map(Object.entries(sent).map(([name, id]) => [id, name]));
    const longestMs = Math.max(...data.map(({ duration_ms }) => duration_ms));
    const longest = data.filter(({ duration_ms }) => duration_ms === longestMs);
    const queries: [query: string, found: (string | undefined)[]][] = [
      ["outcome=active", ["active"]],
      ["outcome=active&outcome=found", ["found", "active"]],
      ["refused=true", ["revoked", "large", "malformed", "unknown"]],
      ["refused=false", ["found", "active"]],
      ["endpoint=lookup", ["found"]],
      ["device_id=laptop", ["active"]],
      ["version=1.2.3", ["active"]],
      ["problem=NO%20license_key", ["malformed"]],
      ["ip=192.0.2.200", []],
      [`ip=${ip}&outcome=body_too_large`, ["large"]],
      ["sandbox=true", []],
      [`to=${startedAt}`, []],
      [`from=${startedAt}&license_id=${license.id}`, ["revoked", "found", "active"]],
      [`product_id=${fixture.productId}&outcome=revoked`, ["revoked"]],
      ["product_id=none", []],
      ["license_id=none", []],
      [`request_id=${sent.found}`, ["found"]],
      [`min_duration_ms=${longestMs}`, longest.map(({ id }) => names.get(id))],
      [`min_duration_ms=${longestMs + 0.001}`, []],
    ];
    for (const [query, found] of queries)
      expect([query, (await list(`?${query}`)).data.map(({ id }) => names.get(id))]).toEqual([query, found]);
    for (const wrong of [
      ...["ip=nonsense", "ip=192.0.2.0%2F24", "from=yesterday", "cursor=x"],
      ...["min_duration_ms=-1", "min_duration_ms=slow"],
    ])
      expect(refusal(await fixture.owner.api.get(`${path}?${wrong}`))).toEqual([422, wrong.split("=")[0]]);
    const { errors } = await get(`${path}?outcome=active&outcome=nonsense`);
    expect(errors).toMatchObject([{ field: "outcome", code: "not_one_of" }]);
    expect(errors[0].params.allowed).toContain("body_timeout");
  });

  test("the request log finds an IPv6 address as itself and its /64, deleted licenses, and nothing of others", async () => {
    const { owner } = fixture;
    const { body: other } = await owner.api.post("/organizations", { name: "Other" });
    const [id, license_id] = [newId(), newId()];
    const row = { organization_id: String(other.id), license_id };
    const rows = ["2001:db8::1", "2001:db8::2"].map((ip) => ({ ...row, ip }));
    await logRequests(fixture.database.location, [{ ...row, id, ip: "2001:db8::/64" }, ...rows]);
    const find = async (ip: string) => {
      const { data } = await list(`?ip=${encodeURIComponent(ip)}`, `/organizations/${other.id}/requests`);
      expect(data).toMatchObject(data.map(() => ({ license_key: null })));
      return data.map((request) => request.ip).sort();
    };
    expect(await find("2001:db8::1")).toEqual(["2001:db8::/64", "2001:db8::1"]);
    expect(await find("2001:db8::/64")).toEqual(["2001:db8::/64"]);
    expect((await list()).data).toHaveLength(6);
    for (const query of [`request_id=${id}`, `license_id=${license_id}`])
      expect((await list(`?${query}`)).data).toEqual([]);
    expect((await get(`${path}/${id}`)).code).toBe("request_not_found");
  });

  test("device IDs are shown with IP addresses, to those who can view requests", async () => {
    const ips = `/organizations/${fixture.organizationId}/ips`;
    const devices = ["phone", "laptop"];
    const includes = (all: readonly string[]) => devices.every((one) => all.includes(one));
    const listed = async (at: string) =>
      (await get(at)).data.map((entry: { device_ids: string[] }) => entry.device_ids);
    // They are searched for a short time only, which may be over early on a busy machine.
    await until("all are found in time", async () => {
      const { body: onServer } = await fixture.admin.api.get(`/admin/ips/${ip}`);
      const { body: ofAll } = await fixture.admin.api.get(`/admin/ips?cidr=${ip}/32`);
      const own = onServer.organizations.find(
        (one: { organization_id: string }) => one.organization_id === fixture.organizationId,
      );
      const shown = [
        (await get(`${ips}/${ip}`)).device_ids,
        await listed(ips),
        // With this license, only one of them.
        ...[await listed(`/licenses/${license.id}/ips`), await listed(`${ips}/${ip}/licenses`)],
        ...[own.device_ids, includes(onServer.device_ids), includes(ofAll.data[0].device_ids)],
      ];
      const expected = [devices, [devices], [["laptop"]], [["laptop"]], devices, true, true];
      return JSON.stringify(shown) === JSON.stringify(expected);
    });
    const { api } = await fixture.member(["licenses:view"]);
    expect((await api.get(`${ips}/${ip}`)).body.device_ids).toBeNull();
    for (const hidden of [ips, `${ips}/${ip}/licenses`])
      expect((await api.get(hidden)).body.data[0].device_ids).toBeNull();
  });

  test("every request says what it would get now, or why that is not known", async () => {
    const product = `/products/${fixture.productId}`;
    const explained = async (name: string) => {
      const { outcome, unrepeatable, rules } = await get(`${path}/${sent[name]}/explain`);
      return [outcome, unrepeatable, rules.length];
    };
    expect(await explained("active")).toEqual(["revoked", null, 14]);
    expect(await explained("unknown")).toEqual([null, "key_not_stored", 7]);
    expect(await explained("malformed")).toEqual(["license_not_found", "no_key_sent", 8]);
    // A lookup finds a revoked license, of a product that refuses all validations too.
    await fixture.owner.api.patch(product, { status: "disabled" });
    expect(await explained("found")).toEqual(["found", null, 3]);
    expect(await explained("large")).toEqual(["product_disabled", "not_looked_up", 7]);
    await fixture.owner.api.patch(product, { status: "active" });
    expect((await get(`${path}/${newId()}/explain`)).code).toBe("request_not_found");
  });

  test("the request log is exported with the filters of its list", async () => {
    const { text: jsonl, headers } = await fixture.owner.api.get(`${path}/export?format=jsonl`);
    expect(headers.get("content-disposition")).toBe('attachment; filename="requests.jsonl"');
    const lines = jsonl.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual((await list()).data);
    const { text: csv } = await fixture.owner.api.get(`${path}/export?license_id=${license.id}&refused=true`);
    const [header, row, ...others] = csv.trimEnd().split("\r\n");
    expect(header).toStartWith("id,at,endpoint,outcome,product_id");
    expect(row).toContain(`${sent.revoked},`);
    // As text, not as a formula.
    expect(row).toContain(",'=Carla,");
    expect(others).toEqual([]);
  });

  test("a product's last validation is the newest of that product only, with its result or its problem", async () => {
    const { newProduct, create, validate } = licensesOf(fixture);
    const { id: unused } = await newProduct();
    const last = async (productId = fixture.productId) =>
      (await get(`/products/${productId}/last-validation`)).request;
    await fixture.publicApi.validate({});
    await until("it is recorded", async () => (await last())?.problem?.includes("no license_key"));
    const { id: license_id, license_key: key } = await create();
    await validate(key);
    await until("the next is recorded", async () => (await last())?.status === "active");
    expect(await last()).toMatchObject({ license_id, problem: null });
    expect(await last(unused)).toBeNull();
  });
});
