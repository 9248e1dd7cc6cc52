import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { on } from "../support/databases.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);

describe.each(on("postgres"))("the list of events on $kind", ({ make }) => {
  let fixture: ManageFixture;
  let list: string;
  const licenses: { id: string }[] = [];
  /** A request that waits as long as possible, and how long it took. */
  let longest: Promise<{ data: unknown[]; tookMs: number }>;

  const get = async (query: string, path = list) => {
    const answer = await fixture.owner.api.get(`${path}${query}`);
    expect(answer.status, answer.text).toBe(200);
    return answer.body;
  };
  const license = async (productId = fixture.productId) => {
    const { body } = await fixture.owner.api.post(`/products/${productId}/licenses`, {
      customer_email: "ada@example.com",
    });
    return body as { id: string; license_key: string };
  };
  const typesIn = (body: { data: { type: string }[] }) => body.data.map(({ type }) => type);

  beforeAll(async () => {
    fixture = await openManageFixture(make);
    list = `/organizations/${fixture.organizationId}/events`;
    for (let at = 0; at < 5; at++) licenses.push(await license());
    await fixture.owner.api.post(`/licenses/${licenses[0]?.id}/revoke`, {});
    // Events appear in ascending order only once no older event can follow.
    await until("the events are settled", async () => (await get("?order=oldest")).data.length === 6);
    const startedMs = performance.now();
    longest = get("?order=oldest&type=license.deleted&wait_seconds=20").then(({ data }) => ({
      data,
      tookMs: performance.now() - startedMs,
    }));
  });
  afterAll(() => fixture.close());

  /** All pages of a list. */
  const walk = async (query: string) => {
    const found: { id: string; license_id: string }[] = [];
    for (let cursor = ""; ; ) {
      const page = await get(`?limit=2${query}${cursor}`);
      found.push(...page.data);
      if (page.next_cursor === null) return found;
      cursor = `&cursor=${page.next_cursor}`;
    }
  };

  test("it is paginated newest first, and contains the same events in ascending order", async () => {
    const all = await get("");
    expect(typesIn(all)).toEqual(["license.revoked", ...Array(5).fill("license.created")]);
    expect([all.next_cursor, all.after]).toEqual([null, null]);
    expect<unknown[]>(await walk("")).toEqual(all.data);
    const oldest = await get("?order=oldest");
    expect(oldest.data).toEqual([...all.data].reverse());
    expect(oldest.after).toBe(all.data[0].id);
    expect(all.data[0].id).toMatch(/^evt_[0-9a-f]{32}$/);
    const created = await walk("&type=license.created&order=oldest");
    expect(created.map(({ license_id: id }) => id)).toEqual(licenses.map(({ id }) => id));
  });

  test("it can be filtered by type, license, product and time", async () => {
    const ofFirst = ["license.revoked", "license.created"];
    expect(typesIn(await get("?type=license.revoked"))).toEqual(["license.revoked"]);
    expect(typesIn(await get(`?license_id=${licenses[0]?.id}`))).toEqual(ofFirst);
    expect(typesIn(await get("", `/licenses/${licenses[0]?.id}/events`))).toEqual(ofFirst);
    expect((await get(`?product_id=${fixture.productId}`)).data.length).toBe(6);
    expect((await get("?product_id=nothing")).data).toEqual([]);
    const { timestamp } = (await get("")).data[0];
    expect(typesIn(await get(`?from=${timestamp}`))[0]).toBe("license.revoked");
    expect(typesIn(await get(`?to=${timestamp}`))).not.toContain("license.revoked");
    expect((await get("?from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z")).data).toEqual([]);
  });

  test("long polling waits for the next event and returns it once", async () => {
    const { after } = await get("?order=oldest");
    const nothing = await get(`?order=oldest&after=${after}&wait_seconds=1`);
    expect([nothing.data, nothing.after]).toEqual([[], after]);
    const waiting = get(`?order=oldest&after=${after}&wait_seconds=20`);
    const { id } = await license();
    const came = await waiting;
    expect(came.data).toMatchObject([{ type: "license.created", license_id: id }]);
    expect((await get(`?order=oldest&after=${came.after}`)).data).toEqual([]);
    // The position advances past events that do not match.
    const other = await get(`?order=oldest&after=${after}&type=license.deleted`);
    expect([other.data, other.after]).toEqual([[], came.after]);
  });

  test("events of validations are listed, and another organization's license yields none", async () => {
    const { id, license_key: key } = await license();
    await fixture.publicApi.validate({ license_key: key });
    expect(typesIn(await get("", `/licenses/${id}/events`))).toEqual([
      "license.ip_registered",
      "license.created",
    ]);
    const otherUser = await fixture.person();
    const theirs = await otherUser.api.post("/organizations", { name: "Other" });
    const answer = await otherUser.api.get(`/organizations/${theirs.body.id}/events?license_id=${id}`);
    expect(answer.body.data).toEqual([]);
  });

  test.each([
    ["?after=evt_00000000000070008000000000000000", "after"],
    ["?wait_seconds=3", "wait_seconds"],
    ["?order=oldest&after=x", "after"],
    ["?order=oldest&wait_seconds=21", "wait_seconds"],
    ["?type=nothing", "type"],
    ["?cursor=x", "cursor"],
  ])("%s is refused with the field's name", async (query, field) => {
    const { status, body } = await fixture.owner.api.get(list + query);
    expect([status, body.errors[0].field]).toEqual([422, field]);
  });

  // Longer than the idle timeout of a connection. It waits while the other tests run.
  test("a request that waits for the maximum time gets a response", async () => {
    const { data, tookMs } = await longest;
    expect(data).toEqual([]);
    expect(tookMs).toBeGreaterThan(19_000);
  });
});
