// Runs the examples for Hono, Fastify and Next.js. CONFORMANCE_URL is the URL of the conformance server.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { signedDelivery } from "./signed-delivery.mjs";

const key = "ABCD-EFGH-JKMN-PQRS";
const secret = `whsec_${Buffer.alloc(24, 3).toString("base64")}`;
const revoked = { outcome: "a revoked license is refused" };

/** The environment of an app whose license is valid, and then revoked. */
async function environment() {
  const started = await fetch(`${process.env.CONFORMANCE_URL}/cases`, {
    method: "POST",
    body: JSON.stringify({ now: "2026-06-01T12:00:00.000Z", answers: [{ real: {} }, { real: revoked }] }),
  });
  const { url, client } = await started.json();
  return {
    COUNTERSIGN_URL: url,
    COUNTERSIGN_API_KEY: client.api_key,
    COUNTERSIGN_WEBHOOK_SECRET: secret,
  };
}

/** How each app is called: the example's path of a report, and a function that sends a request. */
const apps = {
  Hono: async (env) => {
    const { default: app } = await import("./hono.js");
    return ["/reports/May", (path, init) => app.request(path, init, env)];
  },
  Fastify: async (env) => {
    Object.assign(process.env, env);
    const { createApp } = await import("./fastify.js");
    const app = createApp();
    const send = async (path, { method = "GET", headers = {}, body }) => {
      const answer = await app.inject({ url: path, method, headers, ...(body ? { payload: body } : {}) });
      return new Response(answer.body || null, { status: answer.statusCode, headers: answer.headers });
    };
    return ["/reports/May", send];
  },
  "Next.js": async (env) => {
    Object.assign(process.env, env);
    const routes = {
      "/reports": await import("./next/reports/route.js"),
      "/countersign": await import("./next/countersign/route.js"),
    };
    const send = (path, init) =>
      routes[path][init.method ?? "GET"](new Request(`https://app.example.com${path}`, init));
    return ["/reports", send];
  },
};

for (const [name, start] of Object.entries(apps))
  describe(name, () => {
    test(`the example for ${name} serves customers, and refuses a license once the webhook arrives`, async () => {
      const [path, send] = await start(await environment());
      const withKey = { headers: { "x-license-key": key } };
      const missing = await send(path, {});
      assert.deepEqual([missing.status, (await missing.json()).error], [401, "license_missing"]);
      const served = await send(path, withKey);
      assert.deepEqual([served.status, (await served.json()).status], [200, "active"]);
      assert.equal((await send(path, withKey)).status, 200, "from the cache");
      const event = JSON.stringify({
        type: "license.revoked",
        timestamp: new Date().toISOString(),
        data: {},
      });
      const forged = { ...signedDelivery(secret, event), body: event.replace("revoked", "created") };
      assert.equal((await send("/countersign", forged)).status, 400);
      assert.equal((await send("/countersign", signedDelivery(secret, event))).status, 204);
      const refused = await send(path, withKey);
      const { message: _, ...body } = await refused.json();
      assert.deepEqual([refused.status, body], [403, { error: "revoked", request_id: "req-2" }]);
    });
  });
