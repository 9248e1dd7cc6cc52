import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sqlite } from "../support/databases.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { exchange } from "../support/raw-http.ts";

const hosts = ["a b", "[", "[::", "%", "x:99999", "x@y", "x/api?z", "x#y", "x\\y", "", "\u00ff", "a, b"];

describe("a Host header that is not a host name", () => {
  let fixture: ManageFixture;
  beforeAll(async () => {
    fixture = await openManageFixture(sqlite.make);
  }, 60_000);
  afterAll(() => fixture.close());

  const ask = async (host: string, method: string, target: string, ...headers: string[]) => {
    const lines = [`${method} ${target} HTTP/1.1`, `Host: ${host}`, "Content-Length: 0", ...headers];
    const answer = await exchange(
      fixture.server.port,
      Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"),
    );
    return answer?.status;
  };

  test.each(hosts)("%p does not change the response", async (host) => {
    const token = `Authorization: Bearer ${fixture.owner.token}`;
    const key = `Authorization: Bearer ${fixture.apiKey}`;
    expect(await ask(host, "GET", "/api/manage/v1/setup?token=x")).toBe(200);
    expect(await ask(host, "GET", "/api/manage/v1/me", token)).toBe(200);
    expect(await ask(host, "GET", "/api/manage/v1/me")).toBe(401);
    expect(await ask(host, "POST", "/api/manage/v1/organizations", token, "Idempotency-Key: x")).toBe(422);
    expect(await ask(host, "GET", "/api/auth/get-session")).toBe(200);
    expect(await ask(host, "POST", "/api/auth/sign-in/email")).toBe(422);
    expect(await ask(host, "POST", "/api/v1/validate", key)).toBe(200);
    expect(await ask(host, "GET", "/nothing/there")).toBe(404);
    expect(await ask(host, "GET", "/docs")).toBe(200);
  });

  test("a path that leaves its API through .. gets 404", async () => {
    for (const host of ["test", "["]) {
      for (const target of [
        "/api/manage/v1/../../me",
        "/api/manage/v1/%2e%2e/%2e%2e/%2e%2e/abcdefghijklm/me",
      ])
        expect(await ask(host, "GET", target, `Authorization: Bearer ${fixture.owner.token}`)).toBe(404);
      expect(await ask(host, "GET", "/api/auth/../../abcdefgh/get-session")).toBe(404);
    }
  });

  test("the log contains no errors", () => {
    expect(fixture.server.output()).not.toContain('"level":"error"');
  });
});
