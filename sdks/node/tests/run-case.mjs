// Plays one case of ../../conformance against the SDK that it is given. Plain JavaScript, because it also runs on Node
// and Deno against the built package.
import assert from "node:assert/strict";

const start = "2026-06-01T12:00:00.000Z";
const usualKey = "ABCD-EFGH-JKMN-PQRS";

/** Throws when the SDK does not do what the case says. */
export async function runCase(sdk, serverUrl, given) {
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
  const scene = new Scene(sdk, url, { ...settings, ...arranged }, now);
  for (const step of steps) await scene.play(step);
  const requests = await scene.requests();
  for (const [index, wanted] of sent.entries()) compareSent(requests[index], wanted);
  if (different !== undefined)
    assert.equal(new Set(requests.map(({ headers }) => headers[different])).size, requests.length);
}

export function runWebhook(
  sdk,
  { name, now, secrets, headers, body, body_is_parsed: isParsed, expect, ...rest },
) {
  assert.deepEqual(Object.keys(rest), [], `${name}: the case says something that this runner does not know`);
  const bodies = isParsed === true ? [JSON.parse(body)] : [body, new TextEncoder().encode(body)];
  for (const one of bodies) {
    const verify = () =>
      sdk.verifyWebhook(one, headers, { secret: secrets, nowMs: () => new Date(now).getTime() });
    if (expect.error !== undefined) {
      assert.throws(verify, (error) => {
        assert.deepEqual({ kind: kindOf(sdk, error), reason: error.reason }, expect.error);
        return true;
      });
    } else {
      const { timestamp, ...event } = verify();
      assert.deepEqual({ ...event, timestamp: timestamp.toISOString() }, expect.event);
    }
  }
}

class Scene {
  #wallMs;
  #steadyMs = 1_000;
  #kept = new Map();
  #sdk;
  #url;
  #settings;
  #client;

  constructor(sdk, url, settings, now) {
    this.#wallMs = new Date(now).getTime();
    this.#sdk = sdk;
    this.#url = url;
    this.#settings = settings;
    this.#open();
  }

  async play(step) {
    const { expect, times_at_once: times = 1, ...deed } = step;
    const [[name, value], ...more] = Object.entries(deed).filter(([key]) => key !== "clock");
    assert.deepEqual(more, [], "a step does one thing");
    switch (name) {
      case "validate":
        await Promise.all(
          Array.from({ length: times }, () => this.#outcome(() => this.#validate("validate", value), expect)),
        );
        break;
      case "check":
        await this.#outcome(() => this.#validate("check", value), expect);
        break;
      case "lookup":
        await this.#outcome(() => this.#client.lookup(value.license_key ?? usualKey), expect);
        break;
      case "advance_seconds":
        if (step.clock !== "wall") this.#steadyMs += value * 1_000;
        if (step.clock !== "steady") this.#wallMs += value * 1_000;
        break;
      case "restart":
        // Another process: its steady clock begins anywhere.
        this.#steadyMs = 7_000;
        this.#open();
        break;
      case "forget":
        this.#client.forget();
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

  #open() {
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
    this.#client = new this.#sdk.Countersign({
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
    });
  }

  #validate(method, { license_key: key = usualKey, version, device_id: deviceId, fresh, ...rest }) {
    assert.deepEqual(Object.keys(rest), [], "a validation with something that this runner does not know");
    return this.#client[method](key, {
      ...(version === undefined ? {} : { version }),
      ...(deviceId === undefined ? {} : { deviceId }),
      ...(fresh === undefined ? {} : { fresh }),
    });
  }

  async #outcome(work, expect) {
    let said;
    try {
      const value = await work();
      said = expect.decision === undefined ? snake(value) : decision(this.#sdk, value);
    } catch (error) {
      const kind = kindOf(this.#sdk, error);
      if (kind === null || expect.error === undefined) throw error;
      said = { ...snake(error), kind };
    }
    const [[, wanted]] = Object.entries(expect);
    for (const [name, value] of Object.entries(wanted)) assert.deepEqual(said[name], value, name);
  }
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

function compareSent(request, { method, path, headers = {}, body, has_header, has_no_header }) {
  if (method !== undefined) assert.equal(request.method, method);
  if (path !== undefined) assert.equal(request.path, path);
  for (const [name, value] of Object.entries(headers)) assert.equal(request.headers[name], value);
  if (body !== undefined) assert.deepEqual(JSON.parse(request.body), body);
  if (has_header !== undefined) assert.ok(request.headers[has_header]);
  if (has_no_header !== undefined) assert.equal(request.headers[has_no_header], undefined);
}
