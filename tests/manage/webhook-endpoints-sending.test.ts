import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createHmac } from "node:crypto";
import { databases } from "../support/databases.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { openReceiver, type Received, type Receiver } from "../support/receiver.ts";
import { until } from "../support/until.ts";
import { allowLoopback, makeEvents } from "../support/webhooks.ts";

setDefaultTimeout(60_000);

describe.each(databases)("the settings of a webhook endpoint on $kind", ({ make }) => {
  let fixture: ManageFixture;
  let receiver: Receiver;
  let webhooks: string;
  beforeAll(async () => {
    fixture = await openManageFixture(make, allowLoopback);
    receiver = await openReceiver();
    webhooks = `/organizations/${fixture.organizationId}/webhooks`;
  });
  afterAll(async () => {
    await fixture.close();
    await receiver.close();
  });

  let paths = 0;
  /** An endpoint with its own path at the receiver. */
  const endpoint = async (fields: object = {}) => {
    paths += 1;
    const at = `/${paths}`;
    const { status, body } = await fixture.owner.api.post(webhooks, { url: receiver.url + at, ...fields });
    expect(status).toBe(201);
    const path = `${webhooks}/${body.id}`;
    /** Sends a test event and returns it as received. */
    const tested = async (): Promise<Received> => {
      const sent = await fixture.owner.api.post(`${path}/test`);
      expect(sent.status).toBe(201);
      const arrived = () => receiver.received.find((one) => one.id === sent.body.webhook_id);
      await until("the test event arrives", () => arrived() !== undefined);
      const got = arrived();
      if (got === undefined) throw new Error("The test event is missing.");
      expect(got.path).toBe(at);
      return got;
    };
    return { at, path, secret: String(body.secret), tested };
  };
  const signatureBy = (secret: string, { headers, body, id }: Received) =>
    `v1,${createHmac("sha256", Buffer.from(secret.replace("whsec_", ""), "base64"))
      .update(`${id}.${headers["webhook-timestamp"]}.${body}`)
      .digest("base64")}`;

  test("a test event is signed with the secret that was shown and has the custom headers", async () => {
    const { path, secret, tested } = await endpoint({ headers: { "X-Own": "a value of mine" } });
    const got = await tested();
    expect(got.headers["webhook-signature"]).toBe(signatureBy(secret, got));
    expect(got.headers["x-own"]).toBe("a value of mine");
    expect(JSON.parse(got.body)).toMatchObject({
      type: "endpoint.test",
      data: { organization_id: fixture.organizationId },
    });
    const deliveries = async () => (await fixture.owner.api.get(`${path}/deliveries`)).body.data;
    await until("the delivery is recorded", async () => (await deliveries())[0].state === "delivered");
    const [delivery] = await deliveries();
    const { body } = await fixture.owner.api.get(`${path}/deliveries/${delivery.id}/attempts`);
    expect(body.data).toMatchObject([{ status: 200, failure: null }]);
    const log = JSON.stringify(body.data);
    expect(Object.keys(body.data[0].request_headers)).toContain("x-own");
    for (const hidden of ["a value of mine", secret]) expect(log).not.toContain(hidden);
    const again = await fixture.owner.api.post(`${path}/deliveries/${delivery.id}/replay`);
    expect(again.status).toBe(201);
    await until(
      "the replay arrives with the same id",
      () => receiver.received.filter((one) => one.id === got.id).length === 2,
    );
    await until("it is counted", async () => {
      const { body: statistics } = await fixture.owner.api.get(`${path}/statistics`);
      return statistics.last_24_hours.delivered === 2 && statistics.last_24_hours.success_rate === 1;
    });
  });

  test("after a rotation both secrets sign, and after one without overlap only the new one", async () => {
    const { path, secret, tested } = await endpoint();
    const rotated = await fixture.owner.api.post(`${path}/rotate-secret`, {});
    const both = await tested();
    expect(both.headers["webhook-signature"]).toBe(
      `${signatureBy(rotated.body.secret, both)} ${signatureBy(secret, both)}`,
    );
    const last = await fixture.owner.api.post(`${path}/rotate-secret`, { overlap_seconds: 0 });
    const one = await tested();
    expect(one.headers["webhook-signature"]).toBe(signatureBy(last.body.secret, one));
  });

  test("a changed URL, format and header apply from the next request", async () => {
    const { path, tested, at } = await endpoint({ headers: { "x-own": "1" } });
    expect((await tested()).headers["x-own"]).toBe("1");
    await fixture.owner.api.patch(path, { format: "discord", headers: { "x-own": null, "x-other": "2" } });
    const discord = await tested();
    expect([discord.headers["x-own"], discord.headers["x-other"]]).toEqual([undefined, "2"]);
    expect(JSON.parse(discord.body).embeds[0].footer.text).toBe("endpoint.test");
    await fixture.owner.api.patch(path, { format: "slack", url: `${receiver.url}${at}` });
    expect(JSON.parse((await tested()).body).blocks[0].type).toBe("header");
  });

  test("enabling an endpoint that answered 410 sends the events it missed", async () => {
    const { path, at } = await endpoint();
    receiver.reply = (request) => ({ status: request.path === at ? 410 : 200 });
    const { body: sent } = await fixture.owner.api.post(`${path}/test`);
    await until(
      "410 disables it",
      async () => (await fixture.owner.api.get(path)).body.disabled_reason === "gone",
    );
    receiver.reply = () => ({ status: 200 });
    expect((await fixture.owner.api.post(`${path}/replay`, {})).status).toBe(409);
    expect((await fixture.owner.api.get(`${path}/deliveries/${sent.id}`)).body.state).toBe("held");
    await fixture.owner.api.post(`${path}/enable`);
    await until("it arrives", async () => {
      const { body } = await fixture.owner.api.get(`${path}/deliveries?state=delivered`);
      return body.data.length === 1 && body.data[0].event_id === sent.event_id;
    });
  });

  test("nothing is sent to a disabled or deleted endpoint", async () => {
    const quiet = await endpoint();
    const gone = await endpoint();
    const enabled = await endpoint();
    await fixture.owner.api.post(`${quiet.path}/disable`);
    await fixture.owner.api.delete(gone.path);
    await makeEvents(fixture.store, fixture.organizationId, 3);
    await until(
      "the enabled endpoint gets them",
      () => receiver.received.filter((one) => one.path === enabled.at).length === 3,
    );
    expect(receiver.received.filter((one) => [quiet.at, gone.at].includes(one.path))).toEqual([]);
  });
});
