import { expect, test } from "bun:test";
import { inspect } from "node:util";
import manifest from "../package.json" with { type: "json" };
import { ConnectionError, Countersign, sdkVersion } from "../src/index.ts";
import { base, clientWith, fakeFetch, key, never, valid, validBody } from "./fake-server.ts";

const gate = () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { open: resolve, answer: () => promise.then(() => Response.json(validBody)) };
};

test("the version in the User-Agent header is that of the package", () =>
  expect(sdkVersion).toBe(manifest.version));

test("a cancelled call rejects with the signal's reason, and its request is aborted", async () => {
  const { client, requests } = clientWith([never], { graceSeconds: 3_600 });
  const controller = new AbortController();
  const call = client.validate(key, { signal: controller.signal });
  const reason = new Error("the user left");
  controller.abort(reason);
  await expect(call).rejects.toBe(reason);
  expect(requests[0]?.signal?.aborted).toBe(true);
  await expect(client.lookup(key, { signal: controller.signal })).rejects.toBe(reason);
  await expect(client.check(key, { signal: AbortSignal.abort() })).rejects.toThrow("aborted");
  expect(requests.length).toBe(1);
});

test("a caller that cancels does not affect others that share its request", async () => {
  const { open, answer } = gate();
  const { client, requests } = clientWith([answer]);
  const controller = new AbortController();
  const first = client.validate(key, { signal: controller.signal });
  const second = client.validate(key);
  controller.abort();
  await expect(first).rejects.toThrow("aborted");
  open();
  expect((await second).valid).toBe(true);
  expect(requests.length).toBe(1);
  expect(client.cached(key)?.valid).toBe(true);
});

test("a call does not join a request that all callers have cancelled", async () => {
  const { client } = clientWith([never, valid]);
  const controller = new AbortController();
  const first = client.validate(key, { signal: controller.signal });
  controller.abort();
  await expect(first).rejects.toThrow("aborted");
  expect((await client.validate(key)).valid).toBe(true);
});

test("a pause before a retry can be cancelled", async () => {
  const later = () => new Response("", { status: 503, headers: { "retry-after": "60" } });
  const { client, requests } = clientWith([later], { timeoutMs: 120_000 });
  const controller = new AbortController();
  const call = client.validate(key, { signal: controller.signal });
  while (requests.length === 0) await Promise.resolve();
  controller.abort(new Error("enough"));
  await expect(call).rejects.toThrow("enough");
  expect(requests.length).toBe(1);
});

test("calls with other limits do not share a request", async () => {
  const { open, answer } = gate();
  const { client, requests } = clientWith([answer]);
  const calls = [client.validate(key), client.validate(key), client.validate(key, { retries: 0 })];
  open();
  await Promise.all(calls);
  expect(requests.length).toBe(2);
});

test("limits out of range are refused, for the client and for a call", async () => {
  for (const options of [{ retries: 6 }, { retries: -1 }, { retries: 0.5 }, { notFoundCacheSeconds: 3_601 }])
    expect(() => new Countersign({ ...base, ...options })).toThrow(TypeError);
  const { client } = clientWith([never]);
  await expect(client.validate(key, { retries: 9 })).rejects.toThrow("retries");
  await expect(client.validate(key, { timeoutMs: 0 })).rejects.toThrow("timeoutMs");
  await expect(client.lookup(key, { timeoutMs: 999_999 })).rejects.toThrow("timeoutMs");
});

test("a key of another type is an error of the app", async () => {
  const { client } = clientWith([never]);
  await expect(client.validate(42 as never)).rejects.toThrow(TypeError);
  await expect(client.check({} as never)).rejects.toThrow(TypeError);
  expect(() => client.cached([] as never)).toThrow(TypeError);
  expect(() => client.watch(1 as never, { intervalSeconds: 1, onChange: () => undefined })).toThrow(
    TypeError,
  );
});

test("fetch is called without a this, with the app's own options, and never follows redirects", async () => {
  let received: unknown;
  let options: RequestInit = {};
  const client = new Countersign({
    ...base,
    fetchOptions: { dispatcher: "a proxy", headers: new Headers({ "CF-Access-Client-Id": "app" }) },
    fetch: function (this: unknown, _url: unknown, init: RequestInit) {
      received = this;
      options = init;
      return Promise.resolve(Response.json(validBody));
    } as typeof fetch,
  });
  await client.validate(key);
  expect(received).toBeUndefined();
  expect(options).toMatchObject({ dispatcher: "a proxy", redirect: "manual", method: "POST" });
  expect(options.headers).toMatchObject({
    "cf-access-client-id": "app",
    authorization: `Bearer ${base.apiKey}`,
  });
});

test("fetch options that the client sets itself are refused by name", () => {
  const refused = (fetchOptions: object) =>
    expect(() => new Countersign({ ...base, fetchOptions: fetchOptions as Record<string, unknown> }));
  for (const name of ["method", "body", "redirect", "signal"])
    refused({ [name]: "follow" }).toThrow(`fetchOptions.${name} is set by the client. Remove it.`);
  for (const name of ["Authorization", "accept", "User-Agent", "content-type", "X-Countersign-Nonce"])
    for (const headers of [{ [name]: "1" }, [[name, "1"]], new Headers({ [name]: "1" })])
      refused({ headers }).toThrow(`The header ${name.toLowerCase()} in fetchOptions.headers is set by`);
});

test("a redirect in a browser, which has status 0, is a server error", async () => {
  const redirect = () => Object.defineProperty(Response.json({}), "status", { value: 0 });
  const { client } = clientWith([redirect]);
  await expect(client.validate(key)).rejects.toMatchObject({ name: "ServerError", status: 0 });
});

test("results are frozen, and callers do not share their dates", async () => {
  const { open, answer } = gate();
  const client = new Countersign<{ plan: { name: string } }>({ ...base, fetch: fakeFetch(answer).fetch });
  const calls = [client.validate(key), client.validate(key)];
  open();
  const [first, second] = await Promise.all(calls);
  for (const result of [first, second, client.cached(key)]) {
    expect(Object.isFrozen(result)).toBe(true);
    expect(Object.isFrozen(result?.custom?.plan)).toBe(true);
  }
  first?.expires?.setFullYear(1999);
  first?.checkedAt.setFullYear(1999);
  expect(second?.expires?.getFullYear()).toBe(2131);
  expect((await client.validate(key)).expires?.getFullYear()).toBe(2131);
  expect(client.cached(key)?.checkedAt.getFullYear()).not.toBe(1999);
  expect(Object.isFrozen(await client.check(key))).toBe(true);
});

test("an API key that no header can carry is refused at once, and not shown", () => {
  for (const apiKey of [
    "csk_\u00e4bcdefgh",
    "csk_\u2026",
    "csk_a b",
    "csk_a\u0000",
    "csk_a\n",
    "csk_a\u007f",
    "",
  ])
    expect(() => new Countersign({ ...base, apiKey })).toThrow(
      "apiKey must be the product's API key (csk_\u2026). Pass it, or set COUNTERSIGN_API_KEY.",
    );
});

test("a connection error shows no key, whatever the runtime attaches to its failure", async () => {
  const sent = `GET /api/v1/license/${key} HTTP/1.1\r\nauthorization: Bearer ${base.apiKey}`;
  const parserError = Object.assign(new Error(`Invalid response: ${sent}`), {
    code: "HPE_INVALID",
    data: sent,
    cause: { sent },
  });
  const fail = () => Promise.reject(new TypeError("fetch failed", { cause: parserError }));
  const { client } = clientWith([fail], { retries: 0 });
  const error = await client.lookup(key).catch((one) => one);
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error.message).toBe("Cannot connect to license.example.com: HPE_INVALID.");
  const shown = inspect(error, { depth: 20, showHidden: true });
  for (const secret of [key, base.apiKey]) expect(shown).not.toContain(secret);
  expect(error.cause.cause).toMatchObject({ name: "Error", code: "HPE_INVALID" });
});
