// Runs one case of ../../conformance against an SDK. Plain JavaScript, because it also runs on Node.js and Deno against
// the built package.
import assert from "node:assert/strict";
import { inspect } from "node:util";
import { directAdapter, kindOf } from "./direct-adapter.mjs";

const start = "2026-06-01T12:00:00.000Z";
const defaultKey = "ABCD-EFGH-JKMN-PQRS";

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
    runner.checkAllFinished();
  } finally {
    await runner.close();
  }
  const requests = await runner.requests();
  for (const [index, expected] of sent.entries()) compareSent(requests[index], expected);
  if (different !== undefined)
    assert.equal(new Set(requests.map(({ headers }) => headers[different])).size, requests.length);
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
  /** The outcomes of started calls, by name. */
  #started = new Map();

  constructor(adapter, url, settings, { now, versions }) {
    this.#wallMs = new Date(now).getTime();
    this.#adapter = adapter;
    this.#url = url;
    this.#settings = settings;
    this.#versions = versions;
  }

  async run(step) {
    const { expect, times_at_once: times = 1, start, ...action } = step;
    const [[name, value], ...more] = Object.entries(action).filter(([key]) => key !== "clock");
    assert.deepEqual(more, [], "a step has one action");
    switch (name) {
      case "validate":
      case "check":
      case "lookup": {
        const calls = Array.from({ length: times }, () => this.#outcome(name, value));
        if (start === undefined) for (const one of calls) this.#compare(await one, expect);
        else this.#started.set(start, calls[0]);
        break;
      }
      case "finish":
        this.#compare(await this.#started.get(value), expect);
        this.#started.delete(value);
        break;
      case "cached":
        this.#compare({ value: this.#call("cached", value) }, expect);
        break;
      case "advance_seconds":
        if (step.clock !== "wall") this.#steadyMs += value * 1_000;
        if (step.clock !== "steady") this.#wallMs += value * 1_000;
        break;
      case "restart":
        // A new process: its steady clock starts at an arbitrary time.
        this.#steadyMs = 7_000;
        await this.close();
        if (value !== true) this.#settings = { ...this.#settings, ...value };
        await this.open();
        break;
      case "forget":
        this.#target.client.forget();
        break;
      case "tamper_with_grace":
        for (const [key, text] of this.#stored) this.#stored.set(key, text.replace(...value));
        break;
      case "requests":
        await this.#untilRequests(value);
        break;
      default:
        assert.fail(`This runner does not know the step ${name}.`);
    }
  }

  checkAllFinished() {
    assert.deepEqual([...this.#started.keys()], [], "started calls that were not finished");
  }

  /** A started call may not have sent its request yet. */
  async #untilRequests(count) {
    const endMs = performance.now() + 4_000;
    let { length } = await this.requests();
    while (length < count && performance.now() < endMs) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      ({ length } = await this.requests());
    }
    assert.equal(length, count, "requests that were sent");
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
      retries,
      cache_seconds,
      cache_entries,
      not_found_cache_seconds,
      grace_seconds,
      grace_store,
      when_unavailable,
      allow_sandbox,
      version,
      device_id,
      user_agent,
      signing,
      ...rest
    } = this.#settings;
    assert.deepEqual(Object.keys(rest), [], "client settings that this runner does not know");
    const options = {
      apiKey: api_key,
      baseUrl: this.#url,
      timeoutMs: timeout_ms,
      retries,
      cacheSeconds: cache_seconds,
      notFoundCacheSeconds: not_found_cache_seconds,
      cacheEntries: cache_entries,
      graceSeconds: grace_seconds,
      whenUnavailable: when_unavailable,
      allowSandbox: allow_sandbox,
      version,
      deviceId: device_id,
      userAgent: user_agent,
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
        sleep: async (ms) => {
          this.#steadyMs += ms;
          this.#wallMs += ms;
        },
      },
    };
    this.#target = await this.#adapter.open(options, this.#versions);
  }

  #call(method, { license_key: key = defaultKey, version, device_id, fresh, timeout_ms, retries, ...rest }) {
    assert.deepEqual(Object.keys(rest), [], "call options that this runner does not know");
    const given = { version, deviceId: device_id, fresh, timeoutMs: timeout_ms, retries };
    const options = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    const target = method === "lookup" || method === "cached" ? this.#target.client : this.#target;
    return target[method](key, options);
  }

  /** Never rejects: a started call may fail before the step that waits for it. */
  async #outcome(method, value) {
    const outcome = await outcomeOf(this.#call(method, value));
    const { api_key: apiKey = "csk_test" } = this.#settings;
    checkShowsNone(outcome.error ?? outcome.value.error, [apiKey, value.license_key ?? defaultKey]);
    return outcome;
  }

  #compare({ value, error }, expect) {
    const [[kind, expected], ...more] = Object.entries(expect);
    assert.ok(
      ["result", "decision", "license", "error"].includes(kind) && more.length === 0,
      "the expectation is one that this runner knows",
    );
    const errorKind = error === undefined ? null : kindOf(this.#adapter.sdk, error);
    if (error !== undefined && (kind !== "error" || errorKind === null)) throw error;
    if (expected === null) return assert.equal(value, null, kind);
    const actual =
      kind === "decision"
        ? decision(this.#adapter.sdk, value)
        : { ...withSnakeCaseNames(error ?? value), ...(error === undefined ? {} : { kind: errorKind }) };
    for (const [name, one] of Object.entries(expected))
      if (isObject(one) && partlyCompared.includes(name)) compareMembers(actual[name], one, name);
      else assert.deepEqual(actual[name], one, name);
  }
}

const minKeyLength = 8;
const partlyCompared = ["rate_limit", "headers"];

/** Compares the members that are listed. */
function compareMembers(actual, expected, name) {
  assert.ok(isObject(actual), name);
  const members = withSnakeCaseNames(actual);
  for (const [key, value] of Object.entries(expected))
    assert.deepEqual(members[key], value, `${name}.${key}`);
}

/** An error, and what caused it, must never contain the keys that were sent. */
function checkShowsNone(error, keys) {
  const shown = inspect(error, { depth: 20, showHidden: true });
  // Shorter ones are part of other words.
  for (const key of keys.filter((one) => one.trim().length >= minKeyLength))
    assert.ok(!shown.includes(key.trim()), `the error contains a key: ${shown}`);
}

async function outcomeOf(call) {
  try {
    return { value: await call };
  } catch (error) {
    return { error };
  }
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function versionsIn(steps) {
  return [...new Set(steps.map(({ validate, check }) => (validate ?? check)?.version))];
}

function decision(sdk, { allowed, error }) {
  return { allowed, error: error === null ? null : kindOf(sdk, error) };
}

function withSnakeCaseNames(value) {
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      one instanceof Date ? one.toISOString() : one,
    ]),
  );
}

function compareSent(
  request,
  { method, path, headers = {}, header_patterns: patterns = {}, body, has_header, has_no_header, ...rest },
) {
  assert.deepEqual(Object.keys(rest), [], "expectations of a request that this runner does not know");
  if (method !== undefined) assert.equal(request.method, method);
  if (path !== undefined) assert.equal(request.path, path);
  for (const [name, value] of Object.entries(headers)) assert.equal(request.headers[name], value);
  for (const [name, pattern] of Object.entries(patterns))
    assert.match(request.headers[name] ?? "", new RegExp(pattern));
  if (body !== undefined) assert.deepEqual(JSON.parse(request.body), body);
  if (has_header !== undefined) assert.ok(request.headers[has_header]);
  if (has_no_header !== undefined) assert.equal(request.headers[has_no_header], undefined);
}
