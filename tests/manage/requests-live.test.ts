import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { manageBase } from "@countersign/contract/api/bases";
import { postgres } from "../support/databases.ts";
import { type EventStream, openEventStream, type StreamedEvent } from "../support/event-stream.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { startServerProcess } from "../support/server-process.ts";
import { testsOn } from "../support/tests-on.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);

/** On PostgreSQL, the streams are on another node than the requests. On SQLite, the last test stops the only one. */
async function openNodes(make: Parameters<typeof openManageFixture>[0]) {
  const hasNodes = make === postgres.make;
  const fixture = await openManageFixture(make, hasNodes ? undefined : { why: "it is stopped" });
  const streaming = hasNodes ? await startServerProcess(fixture.database.environment) : fixture.server;
  const close = async () => {
    await streaming.stop();
    await fixture.close();
  };
  return { ...fixture, streaming, close };
}

testsOn("postgres", "live requests", openNodes, (fixture) => {
  /** Of a member who loses the permission at once, which is noticed some seconds later. */
  let losing: EventStream;
  let path: string;
  beforeAll(async () => {
    path = `/organizations/${fixture.organizationId}/requests/live`;
    const member = await fixture.member(["requests:view"]);
    losing = await openEventStream(fixture.server.url, member.token, path);
    expect(losing.status).toBe(200);
    await fixture.change("roles", { id: member.roleId }, { permissions: "[]" });
  });

  const open = (query = "", lastEventId: string | null = null, token = fixture.owner.token) =>
    openEventStream(fixture.streaming.url, token, `${path}${query}`, lastEventId);
  const validate = async (body: object = { license_key: "NONE-NONE-NONE-NONE" }) => {
    const { headers } = await fixture.publicApi.validate(body);
    return headers.get("x-request-id") ?? "";
  };
  const isRequest =
    (id: string) =>
    ({ event, data }: StreamedEvent) =>
      event === "request" && data.id === id;
  const fetchAs = (token: string, method: string) =>
    fetch(`${fixture.streaming.url}${manageBase}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
    });

  test("a new request appears in the streams it matches, and only there", async () => {
    const head = await fetchAs(fixture.owner.token, "HEAD");
    const all = await open();
    const filtered = await open("?outcome=license_not_found&version=7.0");
    for (const { status, headers } of [head, all])
      expect([status, headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
    const first = await validate();
    const sent = { version: "7.0", device_id: "d" };
    const second = await validate({ license_key: "NONE-NONE-NONE-NONE", ...sent });
    const { data } = await all.event("the second request", isRequest(second));
    expect(data).toMatchObject({ outcome: "license_not_found", license_id: null, ...sent });
    await filtered.event("the second request", isRequest(second));
    expect(all.events.filter(isRequest(first))).toHaveLength(1);
    expect(filtered.events.map((event) => event.data.id)).toEqual([second]);
    const elsewhere = await fixture.person();
    expect((await open("", null, elsewhere.token)).status).toBe(404);
    all.close();
    filtered.close();
  });

  test("an interrupted stream of requests continues without a gap", async () => {
    const stream = await open();
    const first = await validate();
    const { id: lastEventId } = await stream.event("the first request", isRequest(first));
    stream.close();
    const missed = [await validate(), await validate()];
    await until("they are in the log", async () => {
      const { body } = await fixture.owner.api.get(path.replace("/live", ""));
      return missed.every((id) => body.data.some((request: { id: string }) => request.id === id));
    });
    const again = await open("", lastEventId);
    const later = await validate();
    for (const id of [...missed, later]) await again.event("every request since", isRequest(id));
    const ids = again.events.map((event) => event.data.id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).not.toContain(first);
    again.close();
  });

  test("one user can open a limited number of streams, and a stream that is closed counts no longer", async () => {
    const { token } = await fixture.member(["requests:view"]);
    const streams = await Promise.all(Array.from({ length: 10 }, () => open("", null, token)));
    expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200));
    const refused = await fetchAs(token, "GET");
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ code: "too_many_streams", params: { limit: 10 } });
    streams[0]?.close();
    await until("another one can be opened", async () => {
      const next = await open("", null, token);
      streams.push(next);
      return next.status === 200;
    });
    for (const stream of streams) stream.close();
  });

  test("a stream ends when the permission is gone", async () => {
    expect(await losing.ended).toBe("complete");
  });

  test("a stream ends when its server stops, which does not wait until it has to cut connections", async () => {
    const stream = await open();
    expect(await fixture.streaming.stop()).toBe(0);
    expect(await stream.ended).toBe("complete");
  });
});
