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
    firstRequest: async () => (await (await fetch(url)).json()).requests[0],
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
  // The client reuses connections: on a busy machine, one that is closed after 5 idle seconds can be in use again.
  server.keepAliveTimeout = 0;
  servers.push(server);
  const url = `http://127.0.0.1:${server.address().port}`;
  return async (path, init = {}) => {
    const response = await fetch(url + path, init);
    const text = await response.text();
    const body = text.startsWith("{") ? JSON.parse(text) : text;
    return { status: response.status, body, ...retryAfter(response) };
  };
}

function retryAfter({ headers }) {
  const seconds = headers.get("retry-after");
  return seconds === null ? {} : { retryAfter: seconds };
}

const silent = {};

const withKey = { headers: { "x-license-key": key } };
const valid = [{ real: {} }];
const revoked = [{ real: { outcome: "a revoked license is refused" } }];
const full = [{ real: { outcome: "a new IP address is refused if the limit is reached" } }];
const unreachable = [{ fault: "cut" }];
const wrongApiKey = [{ real: { api_key: "wrong" } }];
const limited = [{ status: 429, headers: { "retry-after": "120" } }];

let version;
before(() => {
  version = createRequire(import.meta.url)("express/package.json").version;
});

test("the tests run on the expected version of Express", () => {
  if (process.env.EXPECT_EXPRESS !== undefined)
    assert.equal(version.split(".")[0], process.env.EXPECT_EXPRESS);
});

test("requireLicense accepts a valid license, and the handler can read it", async () => {
  const { client, firstRequest } = await startCase(valid, { userAgent: "shop/7.1" });
  const request = await serve((app) =>
    app.get("/", requireLicense({ client }), (request, response) =>
      response.json({ status: getLicense(request).result.status, key: getLicense(request).key }),
    ),
  );
  assert.deepEqual(await request("/", withKey), { status: 200, body: { status: "active", key } });
  const versionOf = (name) => createRequire(import.meta.url)(`@countersign/${name}/package.json`).version;
  assert.equal(
    (await firstRequest()).headers["user-agent"],
    `countersign-node/${versionOf("node")} countersign-express/${versionOf("express")} shop/7.1`,
  );
});

test("each kind of refusal has its own response, and says what support needs to know", async () => {
  for (const [answers, init, status, body] of [
    [valid, {}, 401, { error: "license_missing" }],
    [valid, { headers: { "x-license-key": "  " } }, 401, { error: "license_missing" }],
    [revoked, withKey, 403, { error: "revoked", request_id: "req-1" }],
    [wrongApiKey, withKey, 500, { error: "license_misconfigured", request_id: "req-1" }],
    [limited, withKey, 503, { error: "license_unverified", request_id: "req-1", retry_after: 120 }],
    [unreachable, withKey, 503, { error: "license_unverified" }],
  ]) {
    const { client } = await startCase(answers);
    const request = await serve((app) =>
      app.get("/", requireLicense({ client, logger: silent }), (_request, response) => response.send("in")),
    );
    const { message, ...rest } = (await request("/", init)).body;
    assert.deepEqual(rest, body);
    assert.equal(typeof message, "string");
    const answer = await request("/", init);
    assert.equal(answer.status, status);
    assert.equal(answer.retryAfter, body.retry_after === undefined ? undefined : String(body.retry_after));
  }
});

test("a wrong API key is logged once as an error that says what to do", async () => {
  const { client } = await startCase(wrongApiKey);
  const lines = [];
  const logger = {
    error: (message) => {
      lines.push(message);
      throw new Error("the log is full");
    },
  };
  const request = await serve((app) => app.get("/", requireLicense({ client, logger })));
  for (let count = 0; count < 3; count += 1) assert.equal((await request("/", withKey)).status, 500);
  assert.equal(lines.length, 1);
  assert.match(lines[0], /COUNTERSIGN_API_KEY/);
});

test("advisory mode accepts a request without a verdict and reports the error", async () => {
  const { client } = await startCase(unreachable, { whenUnavailable: "advisory" });
  const request = await serve((app) =>
    app.get("/", requireLicense({ client, logger: silent }), (request, response) =>
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

test("callbacks that fail, even with undefined, never let a request in or leave it waiting", async () => {
  const { client } = await startCase(revoked);
  const failures = [new Error("no such template"), undefined, null, "route", "router", 0];
  const letIn = (_request, response) => response.send("in");
  const request = await serve((app) => {
    for (const [index, thrown] of failures.entries()) {
      const throwing = () => {
        throw thrown;
      };
      const rejecting = () => Promise.reject(thrown);
      for (const [name, failing] of Object.entries({ throwing, rejecting })) {
        app.get(`/${index}/${name}/onRefused`, requireLicense({ client, onRefused: failing }), letIn);
        app.get(`/${index}/${name}/key`, requireLicense({ client, key: failing }), letIn);
        app.get(`/${index}/${name}/attached`, licenseMiddleware({ client, key: failing }), letIn);
      }
      app.get(`/${index}/throwing/version`, requireLicense({ client, version: throwing }), letIn);
      app.get(`/${index}/throwing/deviceId`, requireLicense({ client, deviceId: throwing }), letIn);
      app.get(`/${index}/throwing/address`, requireLicense({ client, address: throwing }), letIn);
    }
    app.use(letIn);
  });
  const names = ["onRefused", "key", "attached"].flatMap((name) => [`throwing/${name}`, `rejecting/${name}`]);
  for (const [index, thrown] of failures.entries())
    for (const name of [...names, "throwing/version", "throwing/deviceId"]) {
      const answer = await request(`/${index}/${name}`, withKey);
      assert.equal(answer.status, 599, `${name} failing with ${thrown}`);
      if (thrown instanceof Error) assert.equal(answer.body.message, "no such template");
    }
});

test("an address function that fails does not let a request in", async () => {
  const { client } = await startCase(valid);
  const address = () => {
    throw undefined;
  };
  const request = await serve((app) =>
    app.get("/", requireLicense({ client, address }), (_request, response) => response.send("in")),
  );
  assert.equal((await request("/", withKey)).status, 599);
});

test("onRefused gets the cause, can let the request in, and an error after that is only logged", async () => {
  const { client } = await startCase(limited);
  const lines = [];
  const logger = { error: (message) => lines.push(message) };
  const onRefused = async (refusal, _request, response, next) => {
    response.set("x-cause", `${refusal.cause.name} ${refusal.retryAfterSeconds} ${refusal.requestId}`);
    next();
    throw undefined;
  };
  const request = await serve((app) =>
    app.get("/", requireLicense({ client, onRefused, logger }), (_request, response) =>
      response.json({ cause: response.get("x-cause") }),
    ),
  );
  assert.deepEqual(await request("/", withKey), {
    status: 200,
    body: { cause: "RateLimitError 120 req-1" },
  });
  assert.deepEqual(lines, ["onRefused failed after it had called next()."]);
});

test("2,000 made-up keys cause 10 requests, while customers behind the same IP address are served", async () => {
  const customers = Array.from({ length: 30 }, (_, index) => `CUST-OMER-KEYS-${1_000 + index}`);
  const { client, requestCount } = await startCase([{ real: { keys: customers } }], {
    cacheSeconds: 0,
    // 100 connections at once, on a machine that may be busy.
    timeoutMs: 60_000,
  });
  let nowMs = 0;
  const lines = [];
  const licensed = requireLicense({
    client,
    logger: { warn: (message) => lines.push(message) },
    clock: { steadyMs: () => nowMs },
  });
  const request = await serve((app) => app.get("/", licensed, (_request, response) => response.send("in")));
  const send = (licenseKey) => request("/", { headers: { "x-license-key": licenseKey } });
  const burst = await Promise.all(customers.map(send));
  assert.deepEqual(new Set(burst.map(({ status }) => status)), new Set([200]));
  const before = await requestCount();
  const statuses = [];
  const served = [];
  await Promise.all(
    Array.from({ length: 100 }, async (_, connection) => {
      for (let index = 0; index < 20; index += 1) {
        const { status, retryAfter: seconds, body } = await send(`MADE-UP-${connection}-${index}`);
        statuses.push(status);
        if (status === 429) assert.deepEqual([seconds, body.retry_after], ["6", 6]);
        if (connection < 5) served.push((await send(customers[connection])).status);
      }
    }),
  );
  const countOf = (status) => statuses.filter((one) => one === status).length;
  assert.deepEqual([countOf(403), countOf(429)], [10, 1_990]);
  assert.deepEqual(new Set(served), new Set([200]));
  assert.equal((await requestCount()) - before, 10 + served.length);
  assert.deepEqual(lines, ["Too many unknown license keys from 127.0.0.1: further ones get 429."]);
  nowMs += 6_000;
  assert.equal((await send("MADE-UP-AFTER")).status, 403);
  assert.equal((await send(customers[0])).status, 200);
});

test("behind a proxy, the limit of unknown keys follows trust proxy", async () => {
  const { client } = await startCase([{ validate: { valid: false, status: "license_not_found" } }]);
  const request = await serve((app) => {
    app.set("trust proxy", "loopback");
    app.get("/", requireLicense({ client, unknownKeysPerMinute: 1, logger: silent }));
  });
  const statusFor = async (address, licenseKey) =>
    (await request("/", { headers: { "x-license-key": licenseKey, "x-forwarded-for": address } })).status;
  assert.equal(await statusFor("203.0.113.1", "MADE-UP-1"), 403);
  assert.equal(await statusFor("203.0.113.1", "MADE-UP-2"), 429);
  assert.equal(await statusFor("203.0.113.2", "MADE-UP-3"), 403);
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

test("webhookHandler passes on signed deliveries and refuses all others", async () => {
  const events = [];
  const request = await serve((app) =>
    app.post(
      "/hook",
      webhookHandler({ secret }, async (received) => {
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
  assert.equal(events.length, 1);
});

test("a webhook handler that fails makes the response an error, so that the event is delivered again", async () => {
  const failures = [new Error("the database is unavailable"), undefined, "route"];
  const request = await serve((app) => {
    for (const [index, thrown] of failures.entries()) {
      const failing = () => {
        throw thrown;
      };
      app.post(`/throwing/${index}`, webhookHandler({ secret }, failing));
      app.post(
        `/rejecting/${index}`,
        webhookHandler({ secret }, () => Promise.reject(thrown)),
      );
    }
    app.post(
      "/no-secret",
      webhookHandler({ secret: undefined }, () => undefined),
    );
    app.use((_request, response) => response.status(204).end());
  });
  for (const index of failures.keys())
    for (const kind of ["throwing", "rejecting"])
      assert.equal((await request(`/${kind}/${index}`, signedDelivery(secret, event))).status, 599);
  assert.equal((await request("/no-secret", signedDelivery(secret, event))).status, 599);
  const large = await request("/throwing/0", signedDelivery(secret, "x".repeat(300_000)));
  assert.equal(large.status, 599);
});

test("webhookHandler verifies the rawBody that a platform or another middleware has kept", async () => {
  const events = [];
  const request = await serve((app) => {
    const keep = (one, _response, bytes) => {
      one.rawBody = bytes;
    };
    app.use(express.json({ verify: keep }));
    app.post(
      "/hook",
      webhookHandler({ secret }, (received) => events.push(received.type)),
    );
  });
  assert.equal((await request("/hook", signedDelivery(secret, event))).status, 204);
  const changed = await request("/hook", { ...signedDelivery(secret, event), body: event.replace("1", "2") });
  assert.deepEqual([changed.status, changed.body.error], [400, "mismatch"]);
  assert.deepEqual(events, ["license.revoked"]);
});

test("several X-License-Key headers are one key that no license has", async () => {
  const { client, firstRequest } = await startCase([
    { validate: { valid: false, status: "license_not_found" } },
  ]);
  const request = await serve((app) => app.get("/", requireLicense({ client, logger: silent })));
  const headers = new Headers([
    ["x-license-key", "FIRST-KEY"],
    ["x-license-key", key],
  ]);
  const answer = await request("/", { headers });
  assert.deepEqual([answer.status, answer.body.error], [403, "license_not_found"]);
  assert.equal(JSON.parse((await firstRequest()).body).license_key, `FIRST-KEY, ${key}`);
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
