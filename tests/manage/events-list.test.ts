import { expect, test } from "bun:test";
import { allRows } from "../support/answers.ts";
import type { TestedDatabase } from "../support/databases.ts";
import { refusal } from "../support/licenses.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { testsOn } from "../support/tests-on.ts";
import { until } from "../support/until.ts";

/** An organization with five licenses, of which the first is revoked, and a request that waits as long as possible. */
async function openEvents(make: TestedDatabase["make"]) {
  const fixture = await openManageFixture(make);
  const { owner, organizationId, productId } = fixture;
  const list = `/organizations/${organizationId}/events`;
  const get = async (query: string, path = list) => {
    const answer = await owner.api.get(path + query);
    expect(answer.status, answer.text).toBe(200);
    return answer.body;
  };
  const create = async (): Promise<{ id: string; license_key: string }> =>
    (await owner.api.post(`/products/${productId}/licenses`, { customer_email: "ada@example.com" })).body;
  const licenses = [await create(), await create(), await create(), await create(), await create()];
  await owner.api.post(`/licenses/${licenses[0]?.id}/revoke`, {});
  // Events appear in ascending order only once no older event can follow.
  await until("the events are settled", async () => (await get("?order=oldest")).data.length === 6);
  const startedMs = performance.now();
  const longest = get("?order=oldest&type=license.deleted&wait_seconds=20").then(({ data }) => {
    return { data, tookMs: performance.now() - startedMs };
  });
  return { ...fixture, list, get, create, licenses, longest };
}

const typesIn = (body: { data: { type: string }[] }) => body.data.map(({ type }) => type);

/** `events.test.ts` of the store shows which events a filter finds, and in which order. */
testsOn("postgres", "list of events", openEvents, (events) => {
  test("the list of events is paginated newest first, and contains the same events in ascending order", async () => {
    const walk = (query: string) =>
      allRows<{ license_id: string }>(events.owner.api, `${events.list}?limit=2${query}`);
    const all = await events.get("");
    expect(typesIn(all)).toEqual(["license.revoked", ...Array(5).fill("license.created")]);
    expect([all.next_cursor, all.after]).toEqual([null, null]);
    expect(await walk("")).toEqual(all.data);
    const oldest = await events.get("?order=oldest");
    expect(oldest.data).toEqual([...all.data].reverse());
    expect(oldest.after).toBe(all.data[0].id);
    expect(all.data[0].id).toMatch(/^evt_[0-9a-f]{32}$/);
    const created = await walk("&type=license.created&order=oldest");
    expect(created.map(({ license_id: id }) => id)).toEqual(events.licenses.map(({ id }) => id));
  });

  test("events can be filtered by type, license, product and time, and not by another organization's license", async () => {
    const { get, licenses, productId } = events;
    const ofFirst = ["license.revoked", "license.created"];
    const ofLicense = `?license_id=${licenses[0]?.id}`;
    expect(typesIn(await get("?type=license.revoked"))).toEqual(["license.revoked"]);
    expect(typesIn(await get(ofLicense))).toEqual(ofFirst);
    expect(typesIn(await get("", `/licenses/${licenses[0]?.id}/events`))).toEqual(ofFirst);
    expect((await get(`?product_id=${productId}`)).data.length).toBe(6);
    expect((await get("?product_id=nothing")).data).toEqual([]);
    const { timestamp } = (await get("")).data[0];
    expect(typesIn(await get(`?from=${timestamp}`))[0]).toBe("license.revoked");
    expect(typesIn(await get(`?to=${timestamp}`))).not.toContain("license.revoked");
    const { api } = await events.person();
    const { body: theirs } = await api.post("/organizations", { name: "Other" });
    expect((await api.get(`/organizations/${theirs.id}/events${ofLicense}`)).body.data).toEqual([]);
  });

  test("long polling waits for the next event, including one of a validation, and returns it once", async () => {
    const { get, create, publicApi } = events;
    const { after } = await get("?order=oldest");
    const nothing = await get(`?order=oldest&after=${after}&wait_seconds=1`);
    expect([nothing.data, nothing.after]).toEqual([[], after]);
    const next = (since: string) => get(`?order=oldest&after=${since}&wait_seconds=20`);
    const waiting = next(after);
    const { id, license_key } = await create();
    const came = await waiting;
    expect(came.data).toMatchObject([{ type: "license.created", license_id: id }]);
    await publicApi.validate({ license_key });
    const validated = await next(came.after);
    expect(validated.data).toMatchObject([{ type: "license.ip_registered", license_id: id }]);
    // The position advances past events that do not match.
    const other = await get(`?order=oldest&after=${after}&type=license.deleted`);
    expect([other.data, other.after]).toEqual([[], validated.after]);
  });

  test.each([
    ["?after=evt_00000000000070008000000000000000", "after"],
    ["?wait_seconds=3", "wait_seconds"],
    ["?order=oldest&after=x", "after"],
    ["?order=oldest&wait_seconds=21", "wait_seconds"],
  ])("the list of events refuses %s with the field's name", async (query, field) => {
    expect(refusal(await events.owner.api.get(events.list + query))).toEqual([422, field]);
  });

  // Longer than the idle timeout of a connection. It waits while the other tests run.
  test("a request that waits for an event for the maximum time gets a response", async () => {
    const { data, tookMs } = await events.longest;
    expect(data).toEqual([]);
    expect(tookMs).toBeGreaterThan(19_000);
  }, 60_000);
});
