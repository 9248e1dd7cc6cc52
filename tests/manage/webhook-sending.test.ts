import { expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import type { TestedDatabase } from "../support/databases.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { openReceiver, type Received } from "../support/receiver.ts";
import { testsOn } from "../support/tests-on.ts";
import { until } from "../support/until.ts";
import { makeEvents } from "../support/webhooks.ts";

/** An organization whose endpoints are at a receiver of the test. */
async function openWithReceiver(make: TestedDatabase["make"]) {
  const fixture = await openManageFixture(make);
  const receiver = await openReceiver();
  const close = async () => {
    await fixture.close();
    await receiver.close();
  };
  return { ...fixture, receiver, webhooks: `/organizations/${fixture.organizationId}/webhooks`, close };
}

testsOn("sqlite", "what webhooks send", openWithReceiver, (fixture) => {
  let paths = 0;
  /** An endpoint with its own path at the receiver. */
  const endpoint = async (fields: object = {}) => {
    paths += 1;
    const at = `/${paths}`;
    const settings = { url: fixture.receiver.url + at, ...fields };
    const { status, body } = await fixture.owner.api.post(fixture.webhooks, settings);
    expect(status).toBe(201);
    const path = `${fixture.webhooks}/${body.id}`;
    /** Sends a test event and returns it as received. */
    const tested = async (): Promise<Received> => {
      const sent = await fixture.owner.api.post(`${path}/test`);
      const { webhook_id: id } = sent.body;
      const arrived = await fixture.receiver.arrival("the test event arrives", (one) => one.id === id);
      expect(arrived.path).toBe(at);
      return arrived;
    };
    return { id: String(body.id), at, path, secret: String(body.secret), tested };
  };
  const signaturesOf = ({ headers }: Received) => String(headers["webhook-signature"]).split(" ");
  const isSignedWith = (secret: string, { body, headers }: Received) => {
    try {
      new Webhook(secret).verify(body, headers as Record<string, string>);
      return true;
    } catch {
      return false;
    }
  };

  test("a receiver gets a test event that is signed with the shown secret, and again if it is replayed", async () => {
    const { path, secret, tested } = await endpoint({ headers: { "X-Own": "a value of mine" } });
    const got = await tested();
    expect(isSignedWith(secret, got)).toBe(true);
    expect(got.headers["x-own"]).toBe("a value of mine");
    const { organizationId: organization_id } = fixture;
    expect(JSON.parse(got.body)).toMatchObject({ type: "endpoint.test", data: { organization_id } });
    const deliveries = async () => (await fixture.owner.api.get(`${path}/deliveries`)).body.data;
    await until("the delivery is recorded", async () => (await deliveries())[0].state === "delivered");
    const delivery = `${path}/deliveries/${(await deliveries())[0].id}`;
    const { body } = await fixture.owner.api.get(`${delivery}/attempts`);
    expect(body.data).toMatchObject([{ status: 200, failure: null }]);
    expect(Object.keys(body.data[0].request_headers)).toContain("x-own");
    for (const hidden of ["a value of mine", secret]) expect(JSON.stringify(body)).not.toContain(hidden);
    expect((await fixture.owner.api.post(`${delivery}/replay`)).status).toBe(201);
    const first = fixture.receiver.received.indexOf(got);
    const isAgain = (one: Received) => one.id === got.id && fixture.receiver.received.indexOf(one) !== first;
    await fixture.receiver.arrival("the replay arrives with the same ID", isAgain);
  });

  test("a receiver gets signatures of both secrets after a rotation, and only of the new one without overlap", async () => {
    const { path, secret, tested } = await endpoint();
    const rotate = async (body: object) =>
      (await fixture.owner.api.post(`${path}/rotate-secret`, body)).body.secret;
    const second = await rotate({});
    const both = await tested();
    expect(signaturesOf(both)).toHaveLength(2);
    expect([isSignedWith(secret, both), isSignedWith(second, both)]).toEqual([true, true]);
    const third = await rotate({ overlap_seconds: 0 });
    const one = await tested();
    expect(signaturesOf(one)).toHaveLength(1);
    expect([isSignedWith(second, one), isSignedWith(third, one)]).toEqual([false, true]);
  });

  test("a receiver gets requests with a changed URL, format and header from the next one on", async () => {
    const { path, tested, at } = await endpoint({ headers: { "x-own": "1" } });
    expect((await tested()).headers["x-own"]).toBe("1");
    await fixture.owner.api.patch(path, { format: "discord", headers: { "x-own": null, "x-other": "2" } });
    const discord = await tested();
    expect([discord.headers["x-own"], discord.headers["x-other"]]).toEqual([undefined, "2"]);
    expect(JSON.parse(discord.body).embeds[0].footer.text).toBe("endpoint.test");
    await fixture.owner.api.patch(path, { format: "slack", url: `${fixture.receiver.url}${at}` });
    expect(JSON.parse((await tested()).body).blocks[0].type).toBe("header");
  });

  /** What disabled and deleted endpoints get: apps/server/features/webhooks/distribute.test.ts. */
  test("a receiver is probed after it failed, and then gets what it missed", async () => {
    const { id, at, path } = await endpoint();
    const failing = { status: "disabled", disabled_reason: "failing", disabled_at: Date.now() } as const;
    await fixture.change("webhook_endpoints", { id }, { ...failing, next_probe_at: Date.now() - 1 });
    await makeEvents(fixture.store, fixture.organizationId, 3);
    const arrived = () => fixture.receiver.received.filter((one) => one.path === at).length;
    await fixture.receiver.arrival("it gets what it missed", () => arrived() >= 3);
    expect((await fixture.owner.api.get(path)).body.status).toBe("enabled");
  });
});
