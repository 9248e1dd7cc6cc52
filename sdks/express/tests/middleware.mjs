// Tests the middleware with the installed Express. CONFORMANCE_URL is the URL of the conformance server.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { getLicense, licenseMiddleware, requireLicense, webhookHandler } from "@countersign/express";
import { Countersign } from "@countersign/node";
import express from "express";
import { signedDelivery } from "./signed-delivery.mjs";

const key = "ABCD-EFGH-JKMN-PQRS";
const secret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
const servers = [];
after(() => {
  for (const server of servers) server.close();
});

/** Starts a case with these answers, and returns a client for it. */
async function startCase(answers, options = {}) {
  const started = await fetch(`${process.env.CONFORMANCE_URL}/cases`, {
    method: "POST",
    body: JSON.stringify({ now: "2026-06-01T12:00:00.000Z", answers }),
  });
  const { url, client = {} } = await started.json();
  return {
    client: new Countersign({ apiKey: client.api_key ?? "csk_test", baseUrl: url, ...options }),
    requestCount: async () => (await (await fetch(url)).json()).requests.length,
  };
}

async function serve(addRoutes) {
  const app = express();
  addRoutes(app);
  // Without this, Express would print errors of the handlers.
  app.use((error, _request, response, _next) => response.status(599).json({ message: error.message }));
  const server = await new Promise((resolve) => {
    const listening = app.listen(0, "127.0.0.1", () => resolve(listening));
  });
  servers.push(server);
  const url = `http://127.0.0.1:${server.address().port}`;
  return async (path, init = {}) => {
    const response = await fetch(url + path, init);
    const text = await response.text();
    return { status: response.status, body: text.startsWith("{") ? JSON.parse(text) : text };
  };
}

const withKey = { headers: { "x-license-key": key } };
const valid = [{ real: {} }];
const revoked = [{ real: { outcome: "a revoked license is refused" } }];
const full = [{ real: { outcome: "a full license refuses a new address" } }];
const unreachable = [{ fault: "cut" }];

let version;
before(() => {
  version = createRequire(import.meta.url)("express/package.json").version;
});

test("runs on the expected version of Express", () => {
  if (process.env.EXPECT_EXPRESS !== undefined)
    assert.equal(version.split(".")[0], process.env.EXPECT_EXPRESS);
});

test("requireLicense accepts a valid license, and the handler can read it", async () => {
  const { client } = await startCase(valid);
  const request = await serve((app) =>
    app.get("/", requireLicense({ client }), (request, response) =>
      response.json({ status: getLicense(request).result.status, key: getLicense(request).key }),
    ),
  );
  assert.deepEqual(await request("/", withKey), { status: 200, body: { status: "active", key } });
});

test("requireLicense responds 401 without a key, 403 to a rejected license and 503 without a verdict", async () => {
  for (const [answers, init, status, error] of [
    [valid, {}, 401, "license_missing"],
    [valid, { headers: { "x-license-key": "  " } }, 401, "license_missing"],
    [revoked, withKey, 403, "revoked"],
    [unreachable, withKey, 503, "license_unverified"],
  ]) {
    const { client } = await startCase(answers);
    const request = await serve((app) =>
      app.get("/", requireLicense({ client }), (_request, response) => response.send("in")),
    );
    const answer = await request("/", init);
    assert.deepEqual([answer.status, answer.body.error], [status, error]);
    assert.equal(typeof answer.body.message, "string");
  }
});

test("advisory mode accepts a request without a verdict and reports the error", async () => {
  const { client } = await startCase(unreachable, { whenUnavailable: "advisory" });
  const request = await serve((app) =>
    app.get("/", requireLicense({ client }), (request, response) =>
      response.send(getLicense(request).error.name),
    ),
  );
  assert.deepEqual(await request("/", withKey), { status: 200, body: "ConnectionError" });
});

test("licenseMiddleware accepts every request, and requireLicense reuses its result", async () => {
  const { client, requestCount } = await startCase(revoked);
  const request = await serve((app) => {
    app.use(licenseMiddleware({ client }));
    app.get("/", (request, response) => response.json(getLicense(request)));
    app.get("/paid", requireLicense({ client }), (_request, response) => response.send("in"));
  });
  const open = await request("/");
  assert.deepEqual([open.status, open.body.key, open.body.allowed], [200, null, false]);
  assert.equal((await request("/paid", withKey)).status, 403);
  assert.equal(await requestCount(), 1);
});

test("the key can come from a header, the query, the body or a function", async () => {
  const sources = [
    [{ header: "x-key" }, "/", { headers: { "X-Key": key } }],
    [{ query: "license" }, `/?license=${key}`, {}],
    [
      { body: "license" },
      "/",
      {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ license: key }),
      },
    ],
    [
      async (request) => request.get("authorization")?.slice(4),
      "/",
      { headers: { authorization: `Key ${key}` } },
    ],
  ];
  for (const [source, path, init] of sources) {
    const { client } = await startCase(valid);
    const request = await serve((app) => {
      app.use(express.json());
      app.all("/", requireLicense({ client, key: source }), (_request, response) => response.send("in"));
    });
    assert.deepEqual(await request(path, init), { status: 200, body: "in" });
    assert.equal((await request("/")).status, 401);
  }
  const { client } = await startCase(valid);
  const request = await serve((app) =>
    app.get("/", requireLicense({ client, key: { query: "license" } }), (_request, response) =>
      response.send("in"),
    ),
  );
  assert.equal((await request(`/?license=${key}&license=${key}`)).status, 401, "two keys count as none");
});

test("onRefused sends the response, and an error of the key function reaches the app", async () => {
  const { client } = await startCase(revoked);
  const request = await serve((app) => {
    app.get(
      "/",
      requireLicense({
        client,
        onRefused: (refusal, _request, response) => response.status(402).json({ code: refusal.code }),
      }),
    );
    app.get(
      "/thrown",
      requireLicense({
        client,
        key: () => {
          throw new Error("no such session");
        },
      }),
    );
  });
  assert.deepEqual(await request("/", withKey), { status: 402, body: { code: "revoked" } });
  assert.deepEqual(await request("/thrown"), { status: 599, body: { message: "no such session" } });
});

test("an error of onRefused reaches the app, thrown or as a rejected promise", async () => {
  const { client } = await startCase(revoked);
  const request = await serve((app) => {
    const failing = () => {
      throw new Error("no such template");
    };
    app.get("/thrown", requireLicense({ client, onRefused: failing }));
    app.get("/rejected", requireLicense({ client, onRefused: async () => failing() }));
  });
  for (const path of ["/thrown", "/rejected"])
    assert.deepEqual(await request(path, withKey), { status: 599, body: { message: "no such template" } });
});

test("onRefused can link to the portal, and the default response never contains the key", async () => {
  const { client } = await startCase(full);
  const request = await serve((app) => {
    app.get(
      "/linked",
      requireLicense({
        client,
        onRefused: ({ status, code, key: sent }, _request, response) =>
          response.status(status).json({ code, url: client.portalUrl(sent) }),
      }),
    );
    app.get("/plain", requireLicense({ client }));
  });
  const { url } = (await request("/linked", withKey)).body;
  assert.match(url, new RegExp(`^http://127\\.0\\.0\\.1:\\d+/cases/[^/]+/portal/open#${key}$`));
  const plain = await request("/plain", withKey);
  assert.equal(plain.body.error, "ip_limit_reached");
  assert.ok(!JSON.stringify(plain.body).includes(key));
});

test("version and device ID are sent", async () => {
  const { client } = await startCase([
    { real: { outcome: { product: { version_module_enabled: 1 }, versions: { "2.0.0": "blocked" } } } },
  ]);
  const request = await serve((app) =>
    app.get(
      "/",
      requireLicense({
        client,
        version: (request) => request.get("x-version"),
        deviceId: (request) => request.get("x-device"),
      }),
      (_request, response) => response.send("in"),
    ),
  );
  const answer = await request("/", {
    headers: { ...withKey.headers, "x-version": "2.0.0", "x-device": "d" },
  });
  assert.deepEqual([answer.status, answer.body.error], [403, "version_not_allowed"]);
});

const event = JSON.stringify({
  type: "license.revoked",
  timestamp: "2026-06-01T12:00:00.000Z",
  data: { n: 1 },
});

test("webhookHandler passes on signed deliveries and rejects all others", async () => {
  const events = [];
  const request = await serve((app) =>
    app.post(
      "/hook",
      webhookHandler({ secret }, async (received) => {
        if (received.data.fails) throw new Error("the database is unavailable");
        events.push(received);
      }),
    ),
  );
  assert.equal((await request("/hook", signedDelivery(secret, event))).status, 204);
  assert.deepEqual([events[0].type, events[0].id, events[0].data], ["license.revoked", "msg_1", { n: 1 }]);
  const changed = await request("/hook", { ...signedDelivery(secret, event), body: event.replace("1", "2") });
  assert.deepEqual([changed.status, changed.body.error], [400, "mismatch"]);
  const empty = await request("/hook", { method: "POST" });
  assert.deepEqual([empty.status, empty.body.error], [400, "missing_header"]);
  // An error of the app makes the response an error, so that the event is delivered again.
  const failing = JSON.stringify({ type: "x", timestamp: "2026-06-01T12:00:00.000Z", data: { fails: true } });
  assert.equal((await request("/hook", signedDelivery(secret, failing))).status, 599);
  assert.equal(events.length, 1);
});

test("webhookHandler reports a body that was already parsed", async () => {
  const request = await serve((app) => {
    app.use(express.json());
    app.post(
      "/hook",
      webhookHandler({ secret }, () => undefined),
    );
  });
  const answer = await request("/hook", signedDelivery(secret, event));
  assert.deepEqual([answer.status, answer.body.error], [500, "parsed_body"]);
  assert.match(answer.body.message, /express\.json/);
});
