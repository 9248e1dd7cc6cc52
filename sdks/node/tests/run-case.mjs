// Plays one case of ../../conformance against the SDK that it is given. Plain JavaScript, because it also runs on Node
// and Deno against the built package.
import assert from "node:assert/strict";

const start = "2026-06-01T12:00:00.000Z";
const usualKey = "ABCD-EFGH-JKMN-PQRS";

/**
 * How a case meets the SDK: straight, as here, or through what a framework puts in front of it. `open` makes whom a step
 * asks, out of a client's options and the versions that are going to be asked about; `verify` takes in a delivery, and
 * says its event or what is wrong with it.
 */
function straight(sdk) {
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
      const [said, ...same] = bodies.map((one) => {
        try {
          return { event: sdk.verifyWebhook(one, headers, options) };
        } catch (error) {
          if (kindOf(sdk, error) !== "webhook") throw error;
          return { reason: error.reason };
        }
      });
      for (const one of same) assert.deepEqual(one, said, "bytes and text are the same");
      return said;
    },
  };
}

/** Throws when the SDK does not do what the case says. */
export async function runCase(sdk, serverUrl, given, door = straight(sdk)) {
  const {
    answers,
    steps,
    client: settings = {},
    sent = [],
    different_headers: different,
    name,
    ...rest
  } = given;
  assert.deepEqual(Object.keys(rest), [], `${name}: the case says something that this runner does not know`);
  const armed = await fetch(`${serverUrl}/cases`, {
    method: "POST",
    body: JSON.stringify({ now: start, answers }),
  });
  // Where a real server answers, what the client has to be made with and the time are the server's.
  const { url, client: arranged = {}, now = start } = await armed.json();
  const scene = new Scene(door, url, { ...settings, ...arranged }, { now, versions: versionsIn(steps) });
  try {
    await scene.open();
    for (const step of steps) await scene.play(step);
  } finally {
    await scene.close();
  }
  const requests = await scene.requests();
  for (const [index, wanted] of sent.entries()) compareSent(requests[index], wanted);
  if (different !== undefined)
    assert.equal(new Set(requests.map(({ headers }) => headers[different])).size, requests.length);
}

export async function runWebhook(
  sdk,
  { name, now, secrets, headers, body, body_is_parsed: isParsed = false, expect, ...rest },
  door = straight(sdk),
) {
  assert.deepEqual(Object.keys(rest), [], `${name}: the case says something that this runner does not know`);
  const nowMs = () => new Date(now).getTime();
  const { event, reason } = await door.verify({ body, headers, isParsed, secret: secrets, nowMs });
  if (expect.error !== undefined) assert.deepEqual({ kind: "webhook", reason }, expect.error);
  else assert.deepEqual({ ...event, timestamp: event?.timestamp.toISOString() }, expect.event);
}

class Scene {
  #wallMs;
  #steadyMs = 1_000;
  #kept = new Map();
  #door;
  #url;
  #settings;
  #versions;
  #opened = null;

  constructor(door, url, settings, { now, versions }) {
    this.#wallMs = new Date(now).getTime();
    this.#door = door;
    this.#url = url;
    this.#settings = settings;
    this.#versions = versions;
  }

  async play(step) {
    const { expect, times_at_once: times = 1, ...deed } = step;
    const [[name, value], ...more] = Object.entries(deed).filter(([key]) => key !== "clock");
    assert.deepEqual(more, [], "a step does one thing");
    switch (name) {
      case "validate":
      case "check":
      case "lookup":
        await Promise.all(
          Array.from({ length: times }, () => this.#outcome(() => this.#ask(name, value), expect)),
        );
        break;
      case "advance_seconds":
        if (step.clock !== "wall") this.#steadyMs += value * 1_000;
        if (step.clock !== "steady") this.#wallMs += value * 1_000;
        break;
      case "restart":
        // Another process: its steady clock begins anywhere.
        this.#steadyMs = 7_000;
        await this.close();
        await this.open();
        break;
      case "forget":
        this.#opened.client.forget();
        break;
      case "tamper_with_grace":
        for (const [key, text] of this.#kept) this.#kept.set(key, text.replace(...value));
        break;
      case "requests":
        assert.equal((await this.requests()).length, value, "requests that left");
        break;
      default:
        assert.fail(`This runner does not know the step ${name}.`);
    }
  }

  async requests() {
    return (await (await fetch(this.#url)).json()).requests;
  }

  async close() {
    await this.#opened?.close();
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
              load: (name) => this.#kept.get(name) ?? null,
              save: (name, text) => void this.#kept.set(name, text),
              remove: (name) => void this.#kept.delete(name),
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
    this.#opened = await this.#door.open(options, this.#versions);
  }

  #ask(method, { license_key: key = usualKey, version, device_id: deviceId, fresh, ...rest }) {
    assert.deepEqual(Object.keys(rest), [], "a validation with something that this runner does not know");
    if (method === "lookup") return this.#opened.client.lookup(key);
    return this.#opened[method](key, {
      ...(version === undefined ? {} : { version }),
      ...(deviceId === undefined ? {} : { deviceId }),
      ...(fresh === undefined ? {} : { fresh }),
    });
  }

  async #outcome(work, expect) {
    let said;
    try {
      const value = await work();
      said = expect.decision === undefined ? snake(value) : decision(this.#door.sdk, value);
    } catch (error) {
      const kind = kindOf(this.#door.sdk, error);
      if (kind === null || expect.error === undefined) throw error;
      said = { ...snake(error), kind };
    }
    const [[what, wanted], ...more] = Object.entries(expect);
    assert.ok(
      ["result", "decision", "license", "error"].includes(what) && more.length === 0,
      "what is expected",
    );
    for (const [name, value] of Object.entries(wanted)) assert.deepEqual(said[name], value, name);
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

function snake(value) {
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      one instanceof Date ? one.toISOString() : one,
    ]),
  );
}

function compareSent(request, { method, path, headers = {}, body, has_header, has_no_header, ...rest }) {
  assert.deepEqual(Object.keys(rest), [], "a request with something that this runner does not know");
  if (method !== undefined) assert.equal(request.method, method);
  if (path !== undefined) assert.equal(request.path, path);
  for (const [name, value] of Object.entries(headers)) assert.equal(request.headers[name], value);
  if (body !== undefined) assert.deepEqual(JSON.parse(request.body), body);
  if (has_header !== undefined) assert.ok(request.headers[has_header]);
  if (has_no_header !== undefined) assert.equal(request.headers[has_no_header], undefined);
}
