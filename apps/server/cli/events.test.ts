import { expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { openManageFixture } from "../../../tests/support/manage-fixture.ts";
import { openReceiver } from "../../../tests/support/receiver.ts";
import { runHere } from "../../../tests/support/run-command.ts";
import { runCountersign } from "../../../tests/support/server-process.ts";
import { testsOn } from "../../../tests/support/tests-on.ts";
import { until } from "../../../tests/support/until.ts";

const secret = `whsec_${Buffer.from("a secret of enough bytes for a test").toString("base64")}`;

testsOn("sqlite", "countersign events", openManageFixture, (fixture) => {
  const addLicense = async (): Promise<string> => {
    const path = `/products/${fixture.productId}/licenses`;
    return (await fixture.owner.api.post(path, { customer_email: "a@example.com" })).body.id;
  };
  const listenArgs = (options: string) => {
    const { organizationId, server } = fixture;
    return `events listen --organization ${organizationId} --url ${server.url} ${options}`.split(" ");
  };

  test("events while the command listens are forwarded with a new signature, and earlier ones are not", async () => {
    const receiver = await openReceiver();
    const early = await addLicense();
    const options = `--forward ${receiver.url} --secret ${secret} --count 1 --type license.created --json`;
    const listening = runCountersign(listenArgs(options), { COUNTERSIGN_TOKEN: fixture.owner.token });
    const added = new Set<string>();
    // It says nothing in JSON before the first event, so licenses are created until one has arrived.
    await until("an event arrives", async () => {
      if (receiver.received.length === 0) added.add(await addLicense());
      return receiver.received.length > 0;
    });
    const { stdout, ...ended } = await listening;
    await receiver.close();
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    const [{ id, body, headers } = { id: "", body: "", headers: {} }] = receiver.received;
    const event = JSON.parse(body);
    expect(event.type).toBe("license.created");
    expect([event.data.license_id === early, added.has(event.data.license_id)]).toEqual([false, true]);
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual(event);
    expect(JSON.parse(stdout)).toMatchObject({ id, type: "license.created", outcome: "200" });
  });

  test("a triggered event is delivered like a real one, and is marked as a test", async () => {
    await addLicense();
    const { organizationId } = fixture;
    const args = `events trigger license.ip_blocked --organization ${organizationId} --json`.split(" ");
    const done = await runHere(args, fixture.database.environment);
    expect(done).toMatchObject({ code: 0, stderr: "" });
    const id = `evt_${JSON.parse(done.stdout).id.replaceAll("-", "")}`;
    const path = `/organizations/${organizationId}/events?type=license.ip_blocked`;
    const { data } = (await fixture.owner.api.get(path)).body;
    expect(data).toMatchObject([{ id, data: { ip: "203.0.113.7", test: true } }]);
  });

  test.each([
    ["events", "Use events listen or events trigger."],
    ["events trigger license.sold --organization x", "Unknown event type: license.sold."],
    ["events trigger license.created", "--organization is missing."],
    ["events listen --forward nowhere --organization x", "--forward is"],
    ["events listen --forward http://localhost:1/", "--organization is missing."],
    ["events listen --forward http://localhost:1/ --organization x", "--token is missing."],
  ])("%s is refused with one sentence", async (args, sentence) => {
    const { code, stderr } = await runHere(args.split(" "), fixture.database.environment);
    expect(code).toBe(1);
    expect(stderr).toContain(sentence);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });

  test("a refused token is reported", async () => {
    const args = listenArgs("--forward http://127.0.0.1:1/");
    const stderr = expect.stringContaining("The server responded 401");
    expect(await runHere(args, { COUNTERSIGN_TOKEN: "cst_nothing" })).toMatchObject({ code: 1, stderr });
  });
});
