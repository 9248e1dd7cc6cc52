import { expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { selfSigned } from "../support/certificate.ts";
import { freshFolder, sqlite, type TestedDatabase } from "../support/databases.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { openReceiver, type Received } from "../support/receiver.ts";
import { testsOn } from "../support/tests-on.ts";
import { until } from "../support/until.ts";
import { attemptsAt, makeEvents } from "../support/webhooks.ts";

/** An organization whose endpoints are at a receiver of the test. */
async function openWithReceiver(make: TestedDatabase["make"]) {
  const fixture = await openManageFixture(make);
  const receiver = await openReceiver();
  const close = async () => {
    await fixture.close();
    await receiver.close();
  };
  return { ...fixture, receiver, close };
}

testsOn("sqlite", "sent webhooks", openWithReceiver, (fixture) => {
  /** An endpoint with this path at the receiver. */
  const endpoint = async (at: string, fields: object = {}) => {
    const webhooks = `/organizations/${fixture.organizationId}/webhooks`;
    const { body } = await fixture.owner.api.post(webhooks, { url: fixture.receiver.url + at, ...fields });
    return { id: String(body.id), path: `${webhooks}/${body.id}`, secret: String(body.secret) };
  };
  const isSignedWith = (secret: string, { body, headers }: Received) => {
    try {
      new Webhook(secret).verify(body, headers as Record<string, string>);
      return true;
    } catch {
      return false;
    }
  };

  test("a receiver gets the format, the headers and the signatures that its endpoint has at that moment", async () => {
    const { path, secret } = await endpoint("/chat", { headers: { "X-Own": "1" } });
    const { api } = fixture.owner;
    /** Sends a test event and returns it as received. */
    const tested = async (): Promise<Received> => {
      const { webhook_id: id } = (await api.post(`${path}/test`)).body;
      return fixture.receiver.arrival("the test event arrives", (one) => one.id === id);
    };
    const rotate = async (body: object) => (await api.post(`${path}/rotate-secret`, body)).body.secret;
    const first = await tested();
    expect(first).toMatchObject({ path: "/chat", headers: { "x-own": "1" } });
    const { organizationId: organization_id } = fixture;
    expect(JSON.parse(first.body)).toMatchObject({ type: "endpoint.test", data: { organization_id } });
    expect(isSignedWith(secret, first)).toBe(true);
    const second = await rotate({});
    await api.patch(path, { format: "discord", headers: { "x-own": null, "x-other": "2" } });
    const both = await tested();
    expect([secret, second].map((one) => isSignedWith(one, both))).toEqual([true, true]);
    expect([both.headers["x-own"], both.headers["x-other"]]).toEqual([undefined, "2"]);
    expect(JSON.parse(both.body).embeds[0].footer.text).toBe("endpoint.test");
    const third = await rotate({ overlap_seconds: 0 });
    await api.patch(path, { format: "slack", url: `${fixture.receiver.url}/moved` });
    const last = await tested();
    expect(last.path).toBe("/moved");
    expect([secret, second, third].map((one) => isSignedWith(one, last))).toEqual([false, false, true]);
    expect(JSON.parse(last.body).blocks[0].type).toBe("header");
  });

  /** What disabled and deleted endpoints get: apps/server/features/webhooks/delivery/distribute.test.ts. */
  test("a receiver is probed after it failed, and then gets what it missed", async () => {
    const { id, path } = await endpoint("/probed");
    const failing = { status: "disabled", disabled_reason: "failing", disabled_at: Date.now() } as const;
    await fixture.change("webhook_endpoints", { id }, { ...failing, next_probe_at: Date.now() - 1_000 });
    await makeEvents(fixture.store, fixture.organizationId, 3);
    const arrived = () => fixture.receiver.received.filter((one) => one.path === "/probed").length;
    await fixture.receiver.arrival("it gets what it missed", () => arrived() >= 3);
    expect((await fixture.owner.api.get(path)).body.status).toBe("enabled");
  });
});

/** That the certificate must be for the name of the receiver: apps/server/features/webhooks/delivery/send.test.ts. */
test("a custom certificate authority is trusted for receivers in the operator's network", async () => {
  const certificate = selfSigned("localhost");
  const folder = freshFolder();
  const authorities = join(folder, "authorities.pem");
  writeFileSync(authorities, certificate.cert);
  const receiver = createServer(certificate, (request, response) => request.resume().pipe(response));
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const fixture = await openManageFixture(sqlite.make, {
    why: "trusts another certificate authority",
    environment: { COUNTERSIGN_WEBHOOK_ALLOW: "localhost", NODE_EXTRA_CA_CERTS: authorities },
  });
  try {
    const { organizationId, owner, store } = fixture;
    const url = `https://localhost:${(receiver.address() as AddressInfo).port}/`;
    const { body } = await owner.api.post(`/organizations/${organizationId}/webhooks`, { url });
    await makeEvents(store, organizationId, 1);
    await until("it is attempted", async () => (await attemptsAt(store, body.id)).length === 1);
    expect(await attemptsAt(store, body.id)).toMatchObject([{ status: 200, failure: null }]);
  } finally {
    await fixture.close();
    receiver.close();
    rmSync(folder, { recursive: true });
  }
}, 60_000);
