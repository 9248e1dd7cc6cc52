import { expect, test } from "bun:test";
import { webhookRoute } from "../../src/http/index.ts";
import { signWebhook } from "../../src/index.ts";

const secret = `whsec_${btoa("k".repeat(24))}`;
const event = { type: "license.revoked", timestamp: "2026-06-01T00:00:00Z", data: {} };
const delivery = signWebhook(JSON.stringify(event), { secret });

const request = (body: string | null = delivery.body) =>
  new Request("https://app.example.com/hook", { method: "POST", headers: delivery.headers, body });

test("an event is passed on, and the response is 204 once the handler completes", async () => {
  const types: string[] = [];
  const route = webhookRoute({ secret }, async (event) => types.push(event.type));
  expect((await route(request())).status).toBe(204);
  expect(types).toEqual(["license.revoked"]);
});

test.each([
  ["a changed body", `${delivery.body} `, 400, "mismatch"],
  ["no body", null, 400, "mismatch"],
  ["a body that no delivery has", "x".repeat(300_000), 413, "too_large"],
])("%s is refused", async (_name, body, status, error) => {
  const route = webhookRoute({ secret }, () => {
    throw new Error("It was passed on.");
  });
  const response = await route(request(body));
  expect([response.status, (await response.json()).error]).toEqual([status, error]);
});

test("a handler that fails makes the route fail with an error, so that the event is delivered again", async () => {
  for (const thrown of [new Error("the database is unavailable"), undefined, "later"]) {
    const throwing = () => {
      throw thrown;
    };
    for (const failing of [throwing, () => Promise.reject(thrown)])
      await expect(webhookRoute({ secret }, failing)(request())).rejects.toBeInstanceOf(Error);
  }
});

test("a missing secret is an error of the app", async () => {
  await expect(webhookRoute({ secret: undefined }, () => undefined)(request())).rejects.toThrow("secret");
});
