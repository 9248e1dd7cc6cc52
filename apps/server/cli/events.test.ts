import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { webhookKey } from "@countersign/domain/webhooks/secret";
import { webhookSignature } from "@countersign/domain/webhooks/signature";
import { on } from "../../../tests/support/databases.ts";
import { type ManageFixture, openManageFixture } from "../../../tests/support/manage-fixture.ts";
import { runCountersign } from "../../../tests/support/server-process.ts";
import { until } from "../../../tests/support/until.ts";

const secret = `whsec_${Buffer.from("a secret of enough bytes for a test").toString("base64")}`;

describe.each(on("sqlite"))("countersign events on $kind", ({ make }) => {
  let fixture: ManageFixture;
  const received: { headers: Headers; body: string }[] = [];
  const receiver = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      received.push({ headers: request.headers, body: await request.text() });
      return new Response("ok");
    },
  });
  beforeAll(async () => {
    fixture = await openManageFixture(make);
  }, 60_000);
  afterAll(async () => {
    await receiver.stop(true);
    await fixture.close();
  });

  const addLicense = () =>
    fixture.owner.api.post(`/products/${fixture.productId}/licenses`, { customer_email: "a@example.com" });

  const listen = (...words: string[]) =>
    runCountersign(
      [
        ...["events", "listen", "--organization", fixture.organizationId, "--url", fixture.server.url],
        ...["--forward", receiver.url.href, "--secret", secret, ...words],
      ],
      { COUNTERSIGN_TOKEN: fixture.owner.token },
    );

  test("events while it listens are forwarded with a new signature, earlier ones are not", async () => {
    const early = (await addLicense()).body;
    const listening = listen("--count", "1", "--type", "license.created", "--json");
    const added = new Set<string>();
    // It says nothing in JSON before the first event, so licenses are created until one has arrived.
    await until("an event arrives", async () => {
      if (received.length === 0) added.add((await addLicense()).body.id);
      return received.length > 0;
    });
    const ended = await listening;
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 0, stderr: "" });
    const [first] = received;
    const event = JSON.parse(first?.body ?? "{}");
    expect(event.type).toBe("license.created");
    expect(event.data.license_id).not.toBe(early.id);
    expect(added.has(event.data.license_id)).toBe(true);
    const id = first?.headers.get("webhook-id") ?? "";
    const timestampSeconds = Number(first?.headers.get("webhook-timestamp"));
    const key = webhookKey(secret);
    const signature = webhookSignature(
      { id, timestampSeconds, body: first?.body ?? "" },
      key === null ? [] : [key],
    );
    expect(first?.headers.get("webhook-signature")).toBe(signature);
    expect(JSON.parse(ended.stdout)).toMatchObject({ id, type: "license.created", outcome: "200" });
  });

  test("a triggered event is delivered like a real one, and is marked as a test", async () => {
    await addLicense();
    const done = await runCountersign(
      ["events", "trigger", "license.ip_blocked", "--organization", fixture.organizationId, "--json"],
      fixture.database.environment,
    );
    expect({ code: done.code, stderr: done.stderr }).toEqual({ code: 0, stderr: "" });
    const { id } = JSON.parse(done.stdout);
    const listed = await fixture.owner.api.get(
      `/organizations/${fixture.organizationId}/events?type=license.ip_blocked`,
    );
    expect(listed.body.data).toHaveLength(1);
    expect(listed.body.data[0]).toMatchObject({ data: { ip: "203.0.113.7", test: true } });
    expect(listed.body.data[0].id).toBe(`evt_${id.replaceAll("-", "")}`);
  });

  test.each([
    [["events"], "Use events listen or events trigger."],
    [["events", "trigger", "license.sold", "--organization", "x"], "Unknown event type: license.sold."],
    [["events", "trigger", "license.created"], "--organization is missing."],
    [["events", "listen", "--forward", "nowhere", "--organization", "x"], "--forward is"],
    [["events", "listen", "--forward", "http://localhost:1/"], "--organization is missing."],
    [["events", "listen", "--forward", "http://localhost:1/", "--organization", "x"], "--token is missing."],
  ])("%j is rejected with one sentence", async (words, sentence) => {
    const ended = await runCountersign(words, fixture.database.environment);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain(sentence);
    expect(ended.stderr.trim().split("\n")).toHaveLength(1);
  });

  test("a rejected token is reported", async () => {
    const ended = await runCountersign(
      [
        "events",
        "listen",
        "--organization",
        fixture.organizationId,
        "--url",
        fixture.server.url,
        "--forward",
        receiver.url.href,
      ],
      { COUNTERSIGN_TOKEN: "cst_nothing" },
    );
    expect(ended).toMatchObject({ code: 1 });
    expect(ended.stderr).toContain("The server responded 401");
  });
});
