// Against whichever Express is installed beside this file; CONFORMANCE_URL is the server that plays Countersign.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { getLicense, licenseMiddleware, requireLicense, webhookHandler } from "@countersign/express";
import { Countersign } from "@countersign/node";
import express from "express";
import { signedDelivery } from "./signed-delivery.mjs";

const key = "ABCD-EFGH-JKMN-PQRS";
const secret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
const served = [];
after(() => {
  for (const server of served) server.close();
});

/** A client of a Countersign that answers so, and what it was asked. */
async function arm(answers, options = {}) {
  const armed = await fetch(`${process.env.CONFORMANCE_URL}/cases`, {
    method: "POST",
    body: JSON.stringify({ now: "2026-06-01T12:00:00.000Z", answers }),
  });
  const { url, client = {} } = await armed.json();
  return {
    client: new Countersign({ apiKey: client.api_key ?? "csk_test", baseUrl: url, ...options }),
    asked: async () => (await (await fetch(url)).json()).requests.length,
  };
}

async function serve(prepare) {
  const app = express();
  prepare(app);
  // What a handler throws would be printed otherwise.
  app.use((error, _request, response, _next) => response.status(599).json({ message: error.message }));
  const server = await new Promise((resolve) => {
    const listening = app.listen(0, "127.0.0.1", () => resolve(listening));
  });
  served.push(server);
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
const away = [{ fault: "cut" }];

let version;
before(() => {
  version = createRequire(import.meta.url)("express/package.json").version;
});

test("runs on the Express it should", () => {
  if (process.env.EXPECT_EXPRESS !== undefined)
    assert.equal(version.split(".")[0], process.env.EXPECT_EXPRESS);
});

test("requireLicense lets a valid license through, and the handler can read it", async () => {
  const { client } = await arm(valid);
  const ask = await serve((app) =>
    app.get("/", requireLicense({ client }), (request, response) =>
      response.json({ status: getLicense(request).result.status, key: getLicense(request).key }),
    ),
  );
  assert.deepEqual(await ask("/", withKey), { status: 200, body: { status: "active", key } });
});

test("requireLicense refuses: 401 without a key, 403 with one that is refused, 503 without a verdict", async () => {
  for (const [answers, init, status, error] of [
    [valid, {}, 401, "license_missing"],
    [valid, { headers: { "x-license-key": "  " } }, 401, "license_missing"],
    [revoked, withKey, 403, "revoked"],
    [away, withKey, 503, "license_unverified"],
  ]) {
    const { client } = await arm(answers);
    const ask = await serve((app) =>
      app.get("/", requireLicense({ client }), (_request, response) => response.send("in")),
    );
    const answer = await ask("/", init);
    assert.deepEqual([answer.status, answer.body.error], [status, error]);
    assert.equal(typeof answer.body.message, "string");
  }
});

test("advisory lets in without a verdict, and says why there is none", async () => {
  const { client } = await arm(away, { whenUnavailable: "advisory" });
  const ask = await serve((app) =>
    app.get("/", requireLicense({ client }), (request, response) =>
      response.send(getLicense(request).error.name),
    ),
  );
  assert.deepEqual(await ask("/", withKey), { status: 200, body: "ConnectionError" });
});

test("licenseMiddleware lets everybody go on, and is not asked again by requireLicense", async () => {
  const { client, asked } = await arm(revoked);
  const ask = await serve((app) => {
    app.use(licenseMiddleware({ client }));
    app.get("/", (request, response) => response.json(getLicense(request)));
    app.get("/paid", requireLicense({ client }), (_request, response) => response.send("in"));
  });
  const open = await ask("/");
  assert.deepEqual([open.status, open.body.key, open.body.allowed], [200, null, false]);
  assert.equal((await ask("/paid", withKey)).status, 403);
  assert.equal(await asked(), 1);
});

test("the key comes from where one says: header, query, body, a function", async () => {
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
    const { client } = await arm(valid);
    const ask = await serve((app) => {
      app.use(express.json());
      app.all("/", requireLicense({ client, key: source }), (_request, response) => response.send("in"));
    });
    assert.deepEqual(await ask(path, init), { status: 200, body: "in" });
    assert.equal((await ask("/")).status, 401);
  }
  const { client } = await arm(valid);
  const ask = await serve((app) =>
    app.get("/", requireLicense({ client, key: { query: "license" } }), (_request, response) =>
      response.send("in"),
    ),
  );
  assert.equal((await ask(`/?license=${key}&license=${key}`)).status, 401, "two are none");
});

test("onRefused answers instead, and what a key function throws is the app's", async () => {
  const { client } = await arm(revoked);
  const ask = await serve((app) => {
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
  assert.deepEqual(await ask("/", withKey), { status: 402, body: { code: "revoked" } });
  assert.deepEqual(await ask("/thrown"), { status: 599, body: { message: "no such session" } });
});

test("version and device are sent", async () => {
  const { client } = await arm([
    { real: { outcome: { product: { version_module_enabled: 1 }, versions: { "2.0.0": "blocked" } } } },
  ]);
  const ask = await serve((app) =>
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
  const answer = await ask("/", { headers: { ...withKey.headers, "x-version": "2.0.0", "x-device": "d" } });
  assert.deepEqual([answer.status, answer.body.error], [403, "version_not_allowed"]);
});

const event = JSON.stringify({
  type: "license.revoked",
  timestamp: "2026-06-01T12:00:00.000Z",
  data: { n: 1 },
});

test("webhookHandler hands over what is signed, and refuses everything else", async () => {
  const events = [];
  const ask = await serve((app) =>
    app.post(
      "/hook",
      webhookHandler({ secret }, async (given) => {
        if (given.data.fails) throw new Error("the database is away");
        events.push(given);
      }),
    ),
  );
  assert.equal((await ask("/hook", signedDelivery(secret, event))).status, 204);
  assert.deepEqual([events[0].type, events[0].id, events[0].data], ["license.revoked", "msg_1", { n: 1 }]);
  const changed = await ask("/hook", { ...signedDelivery(secret, event), body: event.replace("1", "2") });
  assert.deepEqual([changed.status, changed.body.error], [400, "mismatch"]);
  const empty = await ask("/hook", { method: "POST" });
  assert.deepEqual([empty.status, empty.body.error], [400, "missing_header"]);
  // What fails in the app is answered so that the delivery comes again.
  const failing = JSON.stringify({ type: "x", timestamp: "2026-06-01T12:00:00.000Z", data: { fails: true } });
  assert.equal((await ask("/hook", signedDelivery(secret, failing))).status, 599);
  assert.equal(events.length, 1);
});

test("webhookHandler names the mistake of a body that was parsed before", async () => {
  const ask = await serve((app) => {
    app.use(express.json());
    app.post(
      "/hook",
      webhookHandler({ secret }, () => undefined),
    );
  });
  const answer = await ask("/hook", signedDelivery(secret, event));
  assert.deepEqual([answer.status, answer.body.error], [500, "parsed_body"]);
  assert.match(answer.body.message, /express\.json/);
});
