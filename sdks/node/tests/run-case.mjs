// Runs one case of ../../conformance against an SDK. Plain JavaScript, because it also runs on Node.js and Deno against
// the built package.
import assert from "node:assert/strict";

const start = "2026-06-01T12:00:00.000Z";
const defaultKey = "ABCD-EFGH-JKMN-PQRS";

/**
 * Calls the SDK directly. Other adapters call it through a framework. `open` creates the client from its options and the
 * versions used in the case; `verify` verifies a webhook delivery and returns its event or the reason for rejecting it;
 * `portalUrl` returns the portal's URL for a license key, or throws.
 */
function directAdapter(sdk) {
  return {
    sdk,
    open: async (options) => {
      const client = new sdk.Countersign(options);
      return {
        client,
        validate: (key, details) => client.validate(key, details),
        check: (key, details) => client.check(key, details),
        close: async () => undefined,
      };
    },
    verify: async ({ body, headers, isParsed, ...options }) => {
      const bodies = isParsed ? [JSON.parse(body)] : [body, new TextEncoder().encode(body)];
      const [first, ...others] = bodies.map((one) => {
        try {
          return { event: sdk.verifyWebhook(one, headers, options) };
        } catch (error) {
          if (kindOf(sdk, error) !== "webhook") throw error;
          return { reason: error.reason };
        }
      });
      for (const other of others) assert.deepEqual(other, first, "bytes and text have the same result");
      return first;
    },
    portalUrl: async (options, key) => new sdk.Countersign(options).portalUrl(key),
  };
}

/** Throws if the SDK does not behave as the case requires. */
export async function runCase(sdk, serverUrl, given, adapter = directAdapter(sdk)) {
  const {
    answers,
    steps,
    client: settings = {},
    sent = [],
    different_headers: different,
    name,
    ...rest
  } = given;
  assert.deepEqual(Object.keys(rest), [], `${name}: the case has members that this runner does not know`);
  const started = await fetch(`${serverUrl}/cases`, {
    method: "POST",
    body: JSON.stringify({ now: start, answers }),
  });
  // A real server provides the client's settings and the time.
  const { url, client: generated = {}, now = start } = await started.json();
  const runner = new CaseRunner(
    adapter,
    url,
    { ...settings, ...generated },
    { now, versions: versionsIn(steps) },
  );
  try {
    await runner.open();
    for (const step of steps) await runner.run(step);
  } finally {
    await runner.close();
  }
  const requests = await runner.requests();
  for (const [index, expected] of sent.entries()) compareSent(requests[index], expected);
  if (different !== undefined)
    assert.equal(new Set(requests.map(({ headers }) => headers[different])).size, requests.length);
}

export async function runWebhook(
  sdk,
  { name, now, secrets, headers, body, body_is_parsed: isParsed = false, expect, ...rest },
  adapter = directAdapter(sdk),
) {
  assert.deepEqual(Object.keys(rest), [], `${name}: the case has members that this runner does not know`);
  const nowMs = () => new Date(now).getTime();
  const { event, reason } = await adapter.verify({ body, headers, isParsed, secret: secrets, nowMs });
  if (expect.error !== undefined) assert.deepEqual({ kind: "webhook", reason }, expect.error);
  else assert.deepEqual({ ...event, timestamp: event?.timestamp.toISOString() }, expect.event);
}

export async function runPortalUrl(
  sdk,
  { name, base_url: baseUrl, license_key: key, expect, ...rest },
  adapter = directAdapter(sdk),
) {
  assert.deepEqual(Object.keys(rest), [], `${name}: the case has members that this runner does not know`);
  const sendNothing = () => assert.fail("a request was sent");
  let actual;
  try {
    actual = { url: await adapter.portalUrl({ apiKey: "csk_test", baseUrl, fetch: sendNothing }, key) };
  } catch (error) {
    if (!(error instanceof TypeError) || !error.message.startsWith("licenseKey must be ")) throw error;
    actual = { error: { kind: "invalid_argument" } };
  }
  assert.deepEqual(actual, expect);
}

class CaseRunner {
  #wallMs;
  #steadyMs = 1_000;
  #stored = new Map();
  #adapter;
  #url;
  #settings;
  #versions;
  #target = null;

  constructor(adapter, url, settings, { now, versions }) {
    this.#wallMs = new Date(now).getTime();
    this.#adapter = adapter;
    this.#url = url;
    this.#settings = settings;
    this.#versions = versions;
  }

  async run(step) {
    const { expect, times_at_once: times = 1, ...action } = step;
    const [[name, value], ...more] = Object.entries(action).filter(([key]) => key !== "clock");
    assert.deepEqual(more, [], "a step has one action");
    switch (name) {
      case "validate":
      case "check":
      case "lookup":
        await Promise.all(
          Array.from({ length: times }, () => this.#checkOutcome(() => this.#call(name, value), expect)),
        );
        break;
      case "advance_seconds":
        if (step.clock !== "wall") this.#steadyMs += value * 1_000;
        if (step.clock !== "steady") this.#wallMs += value * 1_000;
        break;
      case "restart":
        // A new process: its steady clock starts at an arbitrary time.
        this.#steadyMs = 7_000;
        await this.close();
        await this.open();
        break;
      case "forget":
        this.#target.client.forget();
        break;
      case "tamper_with_grace":
        for (const [key, text] of this.#stored) this.#stored.set(key, text.replace(...value));
        break;
      case "requests":
        assert.equal((await this.requests()).length, value, "requests that were sent");
        break;
      default:
        assert.fail(`This runner does not know the step ${name}.`);
    }
  }

  async requests() {
    return (await (await fetch(this.#url)).json()).requests;
  }

  async close() {
    await this.#target?.close();
  }

  async open() {
    const {
      api_key = "csk_test",
      timeout_ms,
      cache_seconds,
      cache_entries,
      grace_seconds,
      grace_store,
      when_unavailable,
      allow_sandbox,
      signing,
      ...rest
    } = this.#settings;
    assert.deepEqual(Object.keys(rest), [], "client settings that this runner does not know");
    const options = {
      apiKey: api_key,
      baseUrl: this.#url,
      timeoutMs: timeout_ms,
      cacheSeconds: cache_seconds,
      cacheEntries: cache_entries,
      graceSeconds: grace_seconds,
      whenUnavailable: when_unavailable,
      allowSandbox: allow_sandbox,
      ...(signing === undefined
        ? {}
        : {
            signing: {
              productId: signing.product_id,
              secrets: signing.secrets,
              toleranceSeconds: signing.tolerance_seconds,
            },
          }),
      ...(grace_store === true
        ? {
            graceStore: {
              load: (name) => this.#stored.get(name) ?? null,
              save: (name, text) => void this.#stored.set(name, text),
              remove: (name) => void this.#stored.delete(name),
            },
          }
        : {}),
      random: () => 0,
      clock: {
        wallMs: () => this.#wallMs,
        steadyMs: () => this.#steadyMs,
        sleep: async () => undefined,
      },
    };
    this.#target = await this.#adapter.open(options, this.#versions);
  }

  #call(method, { license_key: key = defaultKey, version, device_id: deviceId, fresh, ...rest }) {
    assert.deepEqual(Object.keys(rest), [], "call options that this runner does not know");
    if (method === "lookup") return this.#target.client.lookup(key);
    return this.#target[method](key, {
      ...(version === undefined ? {} : { version }),
      ...(deviceId === undefined ? {} : { deviceId }),
      ...(fresh === undefined ? {} : { fresh }),
    });
  }

  async #checkOutcome(work, expect) {
    let actual;
    try {
      const value = await work();
      actual = expect.decision === undefined ? withSnakeCaseNames(value) : decision(this.#adapter.sdk, value);
    } catch (error) {
      const kind = kindOf(this.#adapter.sdk, error);
      if (kind === null || expect.error === undefined) throw error;
      actual = { ...withSnakeCaseNames(error), kind };
    }
    const [[kind, expected], ...more] = Object.entries(expect);
    assert.ok(
      ["result", "decision", "license", "error"].includes(kind) && more.length === 0,
      "the expectation is one that this runner knows",
    );
    for (const [name, value] of Object.entries(expected)) assert.deepEqual(actual[name], value, name);
  }
}

function versionsIn(steps) {
  return [...new Set(steps.map(({ validate, check }) => (validate ?? check)?.version))];
}

function decision(sdk, { allowed, error }) {
  return { allowed, error: error === null ? null : kindOf(sdk, error) };
}

function kindOf(sdk, error) {
  const kinds = {
    AuthenticationError: "authentication",
    NotFoundError: "not_found",
    RateLimitError: "rate_limit",
    SandboxError: "sandbox",
    ServerError: "server",
    TimeoutError: "timeout",
    ConnectionError: "connection",
    SignatureError: "signature",
    WebhookError: "webhook",
  };
  assert.ok(
    !(error.name in kinds) || error instanceof sdk[error.name],
    "errors are instances of their class",
  );
  return kinds[error.name] ?? null;
}

function withSnakeCaseNames(value) {
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      one instanceof Date ? one.toISOString() : one,
    ]),
  );
}

function compareSent(request, { method, path, headers = {}, body, has_header, has_no_header, ...rest }) {
  assert.deepEqual(Object.keys(rest), [], "expectations of a request that this runner does not know");
  if (method !== undefined) assert.equal(request.method, method);
  if (path !== undefined) assert.equal(request.path, path);
  for (const [name, value] of Object.entries(headers)) assert.equal(request.headers[name], value);
  if (body !== undefined) assert.deepEqual(JSON.parse(request.body), body);
  if (has_header !== undefined) assert.ok(request.headers[has_header]);
  if (has_no_header !== undefined) assert.equal(request.headers[has_no_header], undefined);
}
