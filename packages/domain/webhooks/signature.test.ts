import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { generateWebhookSecret, webhookId, webhookKey, webhookSignature } from "./signature.ts";

const id = webhookId("0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b");
const body = '{"type":"license.created","data":{"name":"Zoë — 漢字"}}';
const nowSeconds = Math.floor(Date.now() / 1000);
const [newer, older, another] = [1, 2, 3].map(() => generateWebhookSecret(randomBytes)) as [
  string,
  string,
  string,
];
const keys = [newer, older].map((secret) => webhookKey(secret) ?? new Uint8Array());
const headers = {
  "webhook-id": id,
  "webhook-timestamp": String(nowSeconds),
  "webhook-signature": webhookSignature({ id, timestampSeconds: nowSeconds, body }, keys),
};

test("the library of Standard Webhooks accepts the signature, during a rotation with either secret", () => {
  expect(headers["webhook-signature"].split(" ")).toHaveLength(2);
  for (const secret of [newer, older])
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
});

test("the library of Standard Webhooks accepts no other body, time or secret", () => {
  const verify = (secret: string, changed: Partial<typeof headers>, text = body) =>
    new Webhook(secret).verify(text, { ...headers, ...changed });
  expect(() => verify(newer, {}, `${body} `)).toThrow();
  expect(() => verify(newer, { "webhook-timestamp": String(nowSeconds + 1) })).toThrow();
  expect(() => verify(newer, { "webhook-id": "evt_1" })).toThrow();
  expect(() => verify(another, {})).toThrow();
});

test("a known body with a known key has the known signature", () => {
  const key = Buffer.from("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "base64");
  const known = { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestampSeconds: 1614265330 };
  const signature = webhookSignature({ ...known, body: '{"test": 2432232314}' }, [key]);
  expect(signature).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
});

test("an event's webhook-id is its own, without dashes", () =>
  expect(id).toBe("evt_0190a1b2c3d47e5f8a6b7c8d9e0f1a2b"));

const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString("base64")}`;
test.each<[what: string, secret: string, length: number | null]>([
  ["that was made here", newer, 32],
  ["of 24 bytes", secretOf(24), 24],
  ["of 64 bytes", secretOf(64), 64],
  ["without padding", secretOf(32).replace(/=+$/, ""), 32],
  ["of 23 bytes", secretOf(23), null],
  ["of 65 bytes", secretOf(65), null],
  ["without the prefix", Buffer.alloc(32, 7).toString("base64"), null],
  ["not in base64", `whsec_${"!".repeat(40)}`, null],
  ["with something in between", `whsec_${"AAAA ".repeat(10)}`, null],
  ["of nothing", "whsec_", null],
])("a secret %s is whsec_ and base64 of 24 to 64 bytes, or refused", (_, secret, length) =>
  expect(webhookKey(secret)?.length ?? null).toBe(length),
);
