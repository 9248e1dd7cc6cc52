import { expect, setDefaultTimeout, test } from "bun:test";
import { openManageFixture } from "../support/manage-fixture.ts";
import { exchange } from "../support/raw-http.ts";
import { testsOn } from "../support/tests-on.ts";

setDefaultTimeout(60_000);

const hosts = ["a b", "[::", "%", "x:99999", "x@y", "x/api?z", "", "\u00ff"];

testsOn("sqlite", "Host headers", openManageFixture, (fixture) => {
  const statusOf = async (host: string, target: string, ...headers: string[]) => {
    const lines = [`${target} HTTP/1.1`, `Host: ${host}`, "Content-Length: 0", ...headers];
    const bytes = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
    return (await exchange(fixture.server.port, bytes))?.status;
  };
  const authorization = (token: string) => `Authorization: Bearer ${token}`;

  test.each(hosts)("%p as Host does not change the response", async (host) => {
    const token = authorization(fixture.owner.token);
    for (const [status, target, ...headers] of [
      [200, "GET /api/manage/v1/setup?token=x"],
      [200, "GET /api/manage/v1/me", token],
      [401, "GET /api/manage/v1/me"],
      [422, "POST /api/manage/v1/organizations", token, "Idempotency-Key: x"],
      [200, "GET /api/auth/get-session"],
      [422, "POST /api/auth/sign-in/email"],
      [200, "POST /api/v1/validate", authorization(fixture.apiKey)],
      [404, "GET /nothing/there"],
      [200, "GET /problems"],
    ] as const)
      expect([target, await statusOf(host, target, ...headers)]).toEqual([target, status]);
  });

  test.each([
    "/api/manage/v1/../../me",
    "/api/manage/v1/%2e%2e/%2e%2e/%2e%2e/abcdefghijklm/me",
    "/api/auth/../../abcdefgh/get-session",
  ])("the path %s, which leaves its API, gets 404", async (path) => {
    for (const host of ["test", "["])
      expect(await statusOf(host, `GET ${path}`, authorization(fixture.owner.token))).toBe(404);
  });

  test("odd hosts log no errors", () => expect(fixture.server.output()).not.toContain('"level":"error"'));
});
