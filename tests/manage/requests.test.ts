import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { manageBase } from "@countersign/contract/manage/base";
import { hourMs } from "@countersign/domain/dates/lengths";
import { on } from "../support/databases.ts";
import { openTestJournal } from "../support/journal.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { journalEntry } from "../support/request-log.ts";
import { newId } from "../support/test-organization.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);

/** Of these requests only: the platform's pages show what all organizations of the server received from an IP address. */
const ip = `198.18.${Math.floor(Math.random() * 256)}.${Math.floor(Math.random() * 256)}`;
const from = { "x-forwarded-for": ip };

describe.each(on("postgres"))("the request log on $kind", ({ make }) => {
  let fixture: ManageFixture;
  let path: string;
  let license: { id: string; license_key: string };
  /** The request IDs of what is sent at the start, by what it is. */
  const sent: Record<string, string> = {};
  beforeAll(async () => {
    fixture = await openManageFixture(make);
    path = `/organizations/${fixture.organizationId}/requests`;
    const { body } = await fixture.owner.api.post(`/products/${fixture.productId}/licenses`, {
      customer_email: "carla@example.com",
      customer_name: "=Carla",
      max_ips: 1,
    });
    license = body;
    const { license_key } = license;
    const { publicApi } = fixture;
    const idOf = ({ headers }: { headers: Headers }) => headers.get("x-request-id") ?? "";
    sent.active = idOf(
      await publicApi.validate({ license_key, version: "1.2.3", device_id: "laptop" }, from),
    );
    sent.unknown = idOf(
      await publicApi.validate({ license_key: "NONE-NONE-NONE-NONE", device_id: "phone" }, from),
    );
    sent.malformed = idOf(await publicApi.validate({}, from));
    sent.found = idOf(await publicApi.lookup(license_key, from));
    sent.large = idOf(await publicApi.validateRaw("x".repeat(100_000), from));
    await fixture.owner.api.post(`/licenses/${license.id}/revoke`, {});
    sent.revoked = idOf(await publicApi.validate({ license_key }, from));
    const ids = Object.values(sent);
    await until("all are in the log", async () => {
      const { data } = await list();
      return ids.every((id) => data.some((request) => request.id === id));
    });
  });
  afterAll(() => fixture.close());

  interface Listed {
    readonly data: {
      readonly id: string;
      readonly ip: string;
      readonly license_key: string | null;
      readonly duration_ms: number;
    }[];
    readonly next_cursor: string | null;
    readonly searched_until: string | null;
    readonly kept_since: string;
  }
  /** A page that ended early, because its time was over on a busy machine, is continued. */
  const list = async (query = "", below = path): Promise<Listed> => {
    const { body } = await fixture.owner.api.get(`${below}${query}`);
    if (body.searched_until === null) return body;
    const { searchParams } = new URL(query, "http://localhost");
    searchParams.set("cursor", body.next_cursor);
    const rest = await list(`?${searchParams}`, below);
    return { ...rest, data: [...body.data, ...rest.data] };
  };
  const names = async (query: string) => {
    const byId = new Map(Object.entries(sent).map(([name, id]) => [id, name]));
    return (await list(query)).data.map(({ id }) => byId.get(id));
  };

  test("has every request with what was decided, newest first", async () => {
    const { data, ...rest } = await list();
    expect(data.map(({ id }) => id)).toEqual(Object.values(sent).reverse());
    expect(rest).toMatchObject({ next_cursor: null, searched_until: null });
    const { body } = await fixture.owner.api.get(`${path}/${sent.revoked}`);
    expect(body).toEqual(data[0]);
    expect(body).toMatchObject({
      ...{ id: sent.revoked, endpoint: "validate", outcome: "revoked" },
      ...{ product_id: fixture.productId, product_name: "Plugin" },
      ...{ license_id: license.id, license_key: license.license_key, customer_name: "=Carla" },
      ...{ ip, version: null, device_id: null, problem: null, count: 1, sandbox: false },
      facts: { expires_at: null, ip_count: 1, max_ips: 1, version: null },
    });
    expect(body.duration_ms).toBeGreaterThan(0);
  });

  const now = new Date().toISOString();
  test.each([
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
    [`to=${now}`, []],
    ["product_id=none", []],
    ["license_id=none", []],
  ])("is filtered by %s", async (query, expected) => {
    expect(await names(`?${query}`)).toEqual(expected);
  });

  test("is filtered by license, product, request ID and duration", async () => {
    expect(await names(`?license_id=${license.id}`)).toEqual(["revoked", "found", "active"]);
    expect(await names(`?product_id=${fixture.productId}&outcome=revoked`)).toEqual(["revoked"]);
    for (const [name, id] of Object.entries(sent)) expect(await names(`?request_id=${id}`)).toEqual([name]);
    expect(await names(`?from=${now}&license_id=${license.id}`)).toHaveLength(3);
    const { data } = await list();
    const longest = Math.max(...data.map(({ duration_ms }) => duration_ms));
    for (const least of [0, longest, longest + 0.001]) {
      const slow = data.filter(({ duration_ms }) => duration_ms >= least);
      expect((await list(`?min_duration_ms=${least}`)).data).toEqual(slow);
    }
  });

  test("is read page by page", async () => {
    const first = await list("?limit=4");
    const second = await list(`?limit=4&cursor=${first.next_cursor}`);
    const ids = [...first.data, ...second.data].map(({ id }) => id);
    expect(ids).toEqual(Object.values(sent).reverse());
    expect(second.next_cursor).toBeNull();
  });

  test.each([
    "ip=nonsense",
    "ip=192.0.2.0%2F24",
    "outcome=nonsense",
    "from=yesterday",
    "cursor=x",
    "min_duration_ms=-1",
    "min_duration_ms=slow",
  ])("refuses %s", async (query) => {
    const { status, body } = await fixture.owner.api.get(`${path}?${query}`);
    expect(status).toBe(422);
    expect(body.errors[0].field).toBe(query.split("=")[0]);
  });

  test("says which outcomes there are if one of several is unknown", async () => {
    const { body } = await fixture.owner.api.get(`${path}?outcome=active&outcome=nonsense`);
    expect(body.errors).toMatchObject([{ field: "outcome", code: "not_one_of" }]);
    expect(body.errors[0].params.allowed).toContain("body_timeout");
  });

  test("finds an IPv6 address as itself and as its /64, and rows of licenses that no longer exist", async () => {
    const { owner } = fixture;
    const { body: other } = await owner.api.post("/organizations", { name: "Other" });
    const { journal, close } = await openTestJournal(fixture.database.location);
    const at = Date.now();
    const row = { at, organization_id: String(other.id), license_id: newId() };
    const entries = ["2001:db8::/64", "2001:db8::1", "2001:db8::2"].map((ip) => journalEntry({ ...row, ip }));
    const old = journalEntry({ ...row, at: at - hourMs, ip: "2001:db8::1" });
    await journal.append([...entries, old]);
    await close();
    const ipsOf = async (ip: string) => {
      const { data } = await list(`?ip=${encodeURIComponent(ip)}`, `/organizations/${other.id}/requests`);
      expect(data.every((request) => request.license_key === null)).toBe(true);
      return data.map((request) => request.ip).sort();
    };
    expect(await ipsOf("2001:db8::1")).toEqual(["2001:db8::/64", "2001:db8::1", "2001:db8::1"]);
    expect(await ipsOf("2001:db8::/64")).toEqual(["2001:db8::/64"]);
    expect((await list()).data.map(({ id }) => id)).toEqual(Object.values(sent).reverse());
    // Nothing of another organization is found, by any of its IDs.
    expect((await list(`?request_id=${old[1]}`)).data).toEqual([]);
    expect((await list(`?license_id=${row.license_id}`)).data).toEqual([]);
    const { status, body } = await owner.api.get(`${path}/${old[1]}`);
    expect([status, body.code]).toEqual([404, "request_not_found"]);
  });

  test("has requests over the daily limit", async () => {
    const { owner, store } = fixture;
    const { body: organization } = await owner.api.post("/organizations", { name: "Limited" });
    await store.transaction((db) =>
      db
        .updateTable("organizations")
        .set({ daily_limit_override: 1 })
        .where("id", "=", organization.id)
        .execute(),
    );
    const { body: product } = await owner.api.post(`/organizations/${organization.id}/products`, {
      name: "P",
    });
    for (let count = 0; count < 3; count++) {
      await fetch(`${fixture.server.url}/api/v1/validate`, {
        method: "POST",
        headers: { authorization: `Bearer ${product.api_key}` },
        body: "{}",
      });
    }
    const limited = `/organizations/${organization.id}/requests?outcome=rate_limit_exceeded`;
    await until("the first of them is logged", async () => {
      const { body } = await owner.api.get(limited);
      return body.data.length > 0 && body.data.every((request: { count: number }) => request.count >= 1);
    });
  });

  test("device IDs are shown with IP addresses, to those who can view requests", async () => {
    const address = `/organizations/${fixture.organizationId}/ips/${ip}`;
    const ips = `/organizations/${fixture.organizationId}/ips`;
    const devicesIn = async (path: string) => {
      const { body } = await fixture.owner.api.get(path);
      return body.data.map((entry: { device_ids: string[] }) => entry.device_ids);
    };
    const ofServer = async () => {
      const { body } = await fixture.admin.api.get(`/admin/ips/${ip}`);
      const { organization_id, device_ids } = body.organizations.find(
        (one: { organization_id: string }) => one.organization_id === fixture.organizationId,
      );
      return { organization_id, device_ids, isInTotal: includes(body.device_ids, device_ids) };
    };
    const ofAll = async () => {
      const { body } = await fixture.admin.api.get(`/admin/ips?cidr=${ip}/32`);
      return includes(body.data[0].device_ids, devices);
    };
    const devices = ["phone", "laptop"];
    const includes = (all: readonly string[], some: readonly string[]) =>
      some.every((one) => all.includes(one));
    // They are searched for a short time only, which may be over early on a busy machine.
    const expected = [
      devices,
      [["laptop"]],
      [devices],
      // With this license, only one of them.
      [["laptop"]],
      { organization_id: fixture.organizationId, device_ids: devices, isInTotal: true },
      true,
    ];
    await until("all are found in time", async () => {
      const shown = [
        (await fixture.owner.api.get(address)).body.device_ids,
        await devicesIn(`/licenses/${license.id}/ips`),
        await devicesIn(ips),
        await devicesIn(`${address}/licenses`),
        await ofServer(),
        await ofAll(),
      ];
      return JSON.stringify(shown) === JSON.stringify(expected);
    });
    const member = await fixture.member(["licenses:view"]);
    expect((await member.api.get(address)).body.device_ids).toBeNull();
    expect((await member.api.get(ips)).body.data[0].device_ids).toBeNull();
    expect((await member.api.get(`${address}/licenses`)).body.data[0].device_ids).toBeNull();
  });

  test("every request says what it would get now, or why that is not known", async () => {
    const { owner, productId } = fixture;
    const explained = async (id: string | undefined) => {
      const { status, body } = await owner.api.get(`${path}/${id}/explain`);
      expect([status, body.code]).toEqual([200, undefined]);
      return [body.outcome, body.unrepeatable, body.rules.length];
    };
    const before = await owner.api.get(`/products/${productId}`);
    expect(await explained(sent.active)).toEqual(["revoked", null, 14]);
    expect(await explained(sent.revoked)).toEqual(["revoked", null, 14]);
    expect(await explained(sent.unknown)).toEqual([null, "key_not_stored", 7]);
    expect(await explained(sent.malformed)).toEqual(["license_not_found", "no_key_sent", 8]);
    expect(await explained(sent.large)).toEqual([null, "not_looked_up", 7]);
    // A lookup finds a revoked license, of a product that refuses all validations too.
    await owner.api.patch(`/products/${productId}`, { status: "disabled" });
    expect(await explained(sent.found)).toEqual(["found", null, 3]);
    expect(await explained(sent.large)).toEqual(["product_disabled", "not_looked_up", 7]);
    await owner.api.patch(`/products/${productId}`, { status: before.body.status });
    const missing = await owner.api.get(`${path}/${newId()}/explain`);
    expect([missing.status, missing.body.code]).toEqual([404, "request_not_found"]);
    const member = await fixture.member(["licenses:view"]);
    expect((await member.api.get(`${path}/${sent.active}/explain`)).status).toBe(403);
  });

  test("is exported with the same filters", async () => {
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

  test("needs requests:view", async () => {
    const may = await fixture.member(["requests:view"]);
    const mayNot = await fixture.member(["products:view", "licenses:view"]);
    for (const below of ["", "/export", `/${sent.active}`]) {
      expect((await may.api.get(path + below)).status).toBe(200);
      expect((await mayNot.api.get(path + below)).status).toBe(403);
    }
    const head = await fetch(`${fixture.server.url}${manageBase}${path}/live`, {
      method: "HEAD",
      headers: { authorization: `Bearer ${may.token}` },
    });
    expect([head.status, head.headers.get("content-type")]).toEqual([
      200,
      "text/event-stream; charset=utf-8",
    ]);
  });
});
