// Checks that run inside an edge runtime: a Cloudflare Worker, or a service worker in a browser.
import { Countersign, verifyWebhook } from "@countersign/node";
import { licenseGate } from "@countersign/node/http";

const key = "ABCD-EFGH-JKMN-PQRS";

/** The result of each check: "passed", or the error. `serverUrl` is the URL of the conformance server. */
export async function runChecks(serverUrl) {
  const results = {};
  for (const [name, check] of Object.entries(checks)) {
    try {
      await check(serverUrl);
      results[name] = "passed";
    } catch (error) {
      results[name] = `${error?.stack ?? error}`;
    }
  }
  return results;
}

const checks = {
  "a signed response is verified, and one with a wrong signature is not trusted": async (serverUrl) => {
    const product = { signed_validation: 1 };
    const right = await startCase(serverUrl, [{ real: { signing: "current", outcome: { product } } }]);
    const result = await new Countersign(right.options).validate(key);
    equal([result.valid, result.status, result.source], [true, "active", "server"]);
    const wrong = await startCase(serverUrl, [{ real: { signing: "wrong", outcome: { product } } }]);
    equal(await failureOf(new Countersign(wrong.options).validate(key)), "SignatureError");
  },
  "a cut connection is covered by the grace period in memory": async (serverUrl) => {
    const { options } = await startCase(serverUrl, [{ validate: {} }, { fault: "cut" }]);
    const client = new Countersign({ ...options, cacheSeconds: 0, graceSeconds: 3_600 });
    equal((await client.validate(key)).source, "server");
    equal((await client.validate(key)).source, "grace");
  },
  "after a 429, no request is sent": async (serverUrl) => {
    const { options, requestCount } = await startCase(serverUrl, [
      { status: 429, headers: { "retry-after": "120" } },
    ]);
    const client = new Countersign(options);
    for (let count = 0; count < 3; count += 1) equal(await failureOf(client.validate(key)), "RateLimitError");
    equal(await requestCount(), 1);
  },
  "concurrent calls all have a result, which is cached": async (serverUrl) => {
    const { options } = await startCase(serverUrl, [{ validate: {}, after_ms: 50 }]);
    const client = new Countersign(options);
    const results = await Promise.all([client.validate(key), client.validate(key), client.validate(key)]);
    equal(
      results.map(({ valid }) => valid),
      [true, true, true],
    );
    equal((await client.validate(key)).source, "cache");
  },
  "a webhook is verified": async () => {
    const secret = `whsec_${btoa("k".repeat(24))}`;
    const timestamp = Math.floor(Date.now() / 1_000);
    const body = JSON.stringify({ type: "license.revoked", timestamp: new Date().toISOString(), data: {} });
    const signature = await hmac("k".repeat(24), `msg_1.${timestamp}.${body}`);
    const headers = new Headers({
      "Webhook-Id": "msg_1",
      "Webhook-Timestamp": String(timestamp),
      "Webhook-Signature": `v1,${signature}`,
    });
    equal(verifyWebhook(body, headers, { secret }).type, "license.revoked");
    equal(verifyWebhook(new TextEncoder().encode(body), headers, { secret }).id, "msg_1");
    equal(await failureOf((async () => verifyWebhook(`${body} `, headers, { secret }))()), "WebhookError");
  },
  "licenseGate lets valid licenses in, and responds to others": async (serverUrl) => {
    const { options } = await startCase(serverUrl, [{ real: {} }]);
    const gate = licenseGate({ client: new Countersign(options) });
    const request = (headers) => new Request("https://app.example.com/", { headers });
    equal((await gate(request({ "x-license-key": key }))).allowed, true);
    const unknown = await gate(request({ "x-license-key": "NO-SUCH-KEY" }));
    equal([unknown.response.status, (await unknown.response.json()).error], [403, "license_not_found"]);
    const missing = await gate(request({}));
    equal([missing.response.status, (await missing.response.json()).error], [401, "license_missing"]);
  },
};

async function startCase(serverUrl, answers) {
  const started = await fetch(`${serverUrl}/cases`, {
    method: "POST",
    body: JSON.stringify({ now: new Date().toISOString(), answers }),
  });
  const { url, client = {} } = await started.json();
  // The browser reaches the conformance server through the server of the page.
  const baseUrl = serverUrl + new URL(url).pathname;
  const { api_key: apiKey = "csk_test", signing } = client;
  return {
    options: {
      apiKey,
      baseUrl,
      ...(signing === undefined
        ? {}
        : { signing: { productId: signing.product_id, secrets: signing.secrets } }),
    },
    requestCount: async () => (await (await fetch(baseUrl)).json()).requests.length,
  };
}

function failureOf(promise) {
  return promise.then(
    () => "no error",
    (error) => error.name,
  );
}

async function hmac(secret, text) {
  const encoder = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const secretKey = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
  const code = await crypto.subtle.sign("HMAC", secretKey, encoder.encode(text));
  return btoa(String.fromCharCode(...new Uint8Array(code)));
}

function equal(actual, expected) {
  const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (left !== right) throw new Error(`${left} instead of ${right}`);
}
