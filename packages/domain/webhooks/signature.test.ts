import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { generateWebhookSecret, webhookKey } from "./secret.ts";
import { webhookId, webhookSignature } from "./signature.ts";

const id = webhookId("0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b");
const body = '{"type":"license.created","data":{"name":"Zoë — 漢字"}}';
const nowSeconds = () => Math.floor(Date.now() / 1000);

function keyOf(secret: string): Uint8Array {
  const key = webhookKey(secret);
  if (key === null) throw new Error("That is no secret.");
  return key;
}

function headersFor(secrets: readonly string[], timestampSeconds = nowSeconds()) {
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestampSeconds),
    "webhook-signature": webhookSignature({ id, timestampSeconds, body }, secrets.map(keyOf)),
  };
}

test("the library of Standard Webhooks accepts the signature", () => {
  const secret = generateWebhookSecret(randomBytes);
  expect(new Webhook(secret).verify(body, headersFor([secret]))).toEqual(JSON.parse(body));
});

test("it accepts no other body, time or secret", () => {
  const secret = generateWebhookSecret(randomBytes);
  const headers = headersFor([secret]);
  const verify = (with_: string, changed: Partial<typeof headers>, text = body) =>
    new Webhook(with_).verify(text, { ...headers, ...changed });
  expect(() => verify(secret, {}, `${body} `)).toThrow();
  expect(() => verify(secret, { "webhook-timestamp": String(nowSeconds() + 1) })).toThrow();
  expect(() => verify(secret, { "webhook-id": "evt_1" })).toThrow();
  expect(() => verify(generateWebhookSecret(randomBytes), {})).toThrow();
});

test("during a rotation either secret verifies the signature", () => {
  const [newer, older] = [generateWebhookSecret(randomBytes), generateWebhookSecret(randomBytes)];
  const headers = headersFor([newer, older]);
  expect(headers["webhook-signature"].split(" ")).toHaveLength(2);
  for (const secret of [newer, older])
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
});

test("a known signature", () => {
  const key = Buffer.from("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "base64");
  const content = {
    id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
    timestampSeconds: 1614265330,
    body: '{"test": 2432232314}',
  };
  expect(webhookSignature(content, [key])).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
});

test("an event's webhook-id is its own, without dashes", () =>
  expect(id).toBe("evt_0190a1b2c3d47e5f8a6b7c8d9e0f1a2b"));

describe("a secret is whsec_ and base64 of 24 to 64 bytes", () => {
  test.each<[string, string, number | null]>([
    ["24 bytes", `whsec_${Buffer.alloc(24, 7).toString("base64")}`, 24],
    ["64 bytes", `whsec_${Buffer.alloc(64, 7).toString("base64")}`, 64],
    ["without padding", `whsec_${Buffer.alloc(32, 7).toString("base64").replace(/=+$/, "")}`, 32],
    ["23 bytes", `whsec_${Buffer.alloc(23, 7).toString("base64")}`, null],
    ["65 bytes", `whsec_${Buffer.alloc(65, 7).toString("base64")}`, null],
    ["no prefix", Buffer.alloc(32, 7).toString("base64"), null],
    ["not base64", `whsec_${"!".repeat(40)}`, null],
    ["base64 with something in between", `whsec_${"AAAA ".repeat(10)}`, null],
    ["nothing", "whsec_", null],
  ])("%s", (_name, secret, length) => expect(webhookKey(secret)?.length ?? null).toBe(length));
  test("one that was made here", () =>
    expect(webhookKey(generateWebhookSecret(randomBytes))?.length).toBe(32));
});
