import { describe, expect, test } from "bun:test";
import { LicenseDecider, licenseGate, refusalOf } from "../../src/http/index.ts";
import {
  AuthenticationError,
  ConnectionError,
  type CountersignError,
  type Decision,
  SandboxError,
} from "../../src/index.ts";
import {
  dailyLimitReached,
  fakeClient,
  memoryLogger,
  noVerdict,
  verdict,
  webRequest,
} from "./fake-client.ts";

const failure = (error: CountersignError): Decision => ({ ...noVerdict, error });
const wrongKey = failure(new AuthenticationError("The server rejected the API key.", { requestId: "req-5" }));
const noConnection = failure(new ConnectionError("Cannot connect to 127.0.0.1: ECONNREFUSED."));

const throwing = (thrown: unknown) => () => {
  throw thrown;
};

function gateFor(answer: Decision, logger = memoryLogger()) {
  return licenseGate({ client: fakeClient(() => answer), logger });
}

describe("responses", () => {
  test.each([
    [null, verdict("active"), 401, { error: "license_missing" }],
    [" \u00a0", verdict("active"), 401, { error: "license_missing" }],
    ["K", verdict("revoked"), 403, { error: "revoked", request_id: "req-1" }],
    ["K", verdict("a_newer_status"), 403, { error: "a_newer_status", request_id: "req-1" }],
    ["K", verdict("license_not_found", { requestId: null }), 403, { error: "license_not_found" }],
    ["K", wrongKey, 500, { error: "license_misconfigured", request_id: "req-5" }],
    ["K", failure(new SandboxError("A test key.")), 500, { error: "license_misconfigured" }],
    ["K", noConnection, 503, { error: "license_unverified" }],
    ["K", dailyLimitReached, 503, { error: "license_unverified", request_id: "req-9", retry_after: 3_600 }],
  ])("the response to the key %p with %j has the status %p", async (key, answer, status, body) => {
    const result = await gateFor(answer)(webRequest(key));
    if (result.allowed) throw new Error("It was let in.");
    expect(result.cause).toBe(answer.error === null || key !== "K" ? null : answer.error);
    expect(result.response.status).toBe(status);
    expect(result.response.headers.get("content-type")).toBe("application/json");
    const retryAfter = "retry_after" in body ? String(body.retry_after) : null;
    expect(result.response.headers.get("retry-after")).toBe(retryAfter);
    expect(await result.response.json()).toEqual({ ...body, message: expect.any(String) });
  });

  test("a request with a valid license is accepted, with its result", async () => {
    const result = await gateFor(verdict("active", { custom: { plan: "pro" } }))(webRequest("K"));
    expect(result).toMatchObject({ allowed: true, key: "K", result: { custom: { plan: "pro" } } });
  });
});

describe("keys", () => {
  const decide = (key: ConstructorParameters<typeof LicenseDecider>[0]["key"], request: object) =>
    new LicenseDecider({ client: fakeClient(() => verdict("active")), key }).decide({
      headers: {},
      ...request,
    });

  test.each([
    [{ header: "X-Key" }, { headers: { "x-key": "K" } }, "K"],
    [{ header: "x-key" }, { headers: new Headers({ "X-Key": "K" }) }, "K"],
    [{ header: "x-key" }, { headers: { "x-key": ["K", "L"] } }, null],
    [{ query: "k" }, { query: { k: "K" } }, "K"],
    [{ query: "k" }, { query: { k: ["K", "L"] } }, null],
    [{ query: "k" }, { url: "/?k=K" }, "K"],
    [{ query: "k" }, { url: "/?k=K&k=L" }, null],
    [{ body: "k" }, { body: { k: "K" } }, "K"],
    [{ body: "k" }, { body: { k: 7 } }, null],
    [() => "K", {}, "K"],
    [async () => "K", {}, "K"],
    [() => null, {}, null],
  ])("%j in %j is %p", async (source, request, key) => expect((await decide(source, request)).key).toBe(key));

  test("a key function that fails, in whatever way, makes the decision fail with an error", async () => {
    for (const thrown of [new Error("no such session"), undefined, "route", null])
      for (const source of [throwing(thrown), () => Promise.reject(thrown)])
        expect(await decide(source, {}).catch((reason) => reason)).toBeInstanceOf(Error);
  });

  test("an address function that fails makes the decision fail with an error", async () => {
    const decided = licenseGate({ client: fakeClient(), address: throwing(undefined) })(webRequest("K"));
    await expect(decided).rejects.toThrow("The option address failed");
  });
});

test("version and device ID reach the client, and one request is decided once", async () => {
  const calls: unknown[] = [];
  const client = {
    ...fakeClient(),
    check: async (...call: unknown[]) => {
      calls.push(call);
      return verdict("active");
    },
  };
  const version = ({ headers }: Request) => headers.get("x-version") ?? undefined;
  const licenses = new LicenseDecider({ client, version, deviceId: () => "d" });
  const headers = { "x-license-key": "K", "x-version": "2" };
  const request = new Request("https://app.example.com", { headers });
  await licenses.decide(request);
  await licenses.decide(request);
  await licenses.decide(request, { version: "3" });
  expect(calls).toEqual([
    ["K", { version: "2", deviceId: "d" }],
    ["K", { version: "3", deviceId: "d" }],
  ]);
});

describe("logs", () => {
  test("the log contains each kind of failure once, until the server gives a verdict again", async () => {
    const logger = memoryLogger();
    let answer = noConnection;
    const gate = licenseGate({ client: fakeClient(() => answer), logger });
    const decide = async (...answers: Decision[]) => {
      for (answer of answers) await gate(webRequest("K"));
    };
    const [cached, grace] = [verdict("active", { source: "cache" }), verdict("active", { source: "grace" })];
    await decide(noConnection, wrongKey, noConnection, wrongKey, cached, noConnection, grace, grace);
    expect(logger.lines).toEqual([
      "warn: Licenses cannot be validated. Cannot connect to 127.0.0.1: ECONNREFUSED.",
      "error: Licenses cannot be validated. The server rejected the API key: set apiKey or COUNTERSIGN_API_KEY to the product's current API key.",
      "warn: Licenses cannot be validated. Known licenses are accepted in their grace period.",
    ]);
    await decide(verdict("revoked"), noConnection);
    expect(logger.lines).toHaveLength(4);
  });

  test("a logger that throws or rejects does not affect the response", async () => {
    for (const warn of [throwing(undefined), () => Promise.reject(new Error("the disk is full"))]) {
      const gate = licenseGate({ client: fakeClient(() => noConnection), logger: { warn } });
      expect(await gate(webRequest("K"))).toMatchObject({ status: 503 });
    }
  });
});

test("a refusal describes the response for frameworks without Response", async () => {
  const licenses = new LicenseDecider({ client: fakeClient(() => dailyLimitReached), logger: {} });
  const { status, headers, body } = refusalOf(await licenses.decide({ headers: { "x-license-key": "K" } }));
  expect([status, headers, body.retry_after]).toEqual([503, { "retry-after": "3600" }, 3_600]);
});
