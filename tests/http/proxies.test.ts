import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { isWholeRun } from "../support/databases.ts";
import { openPublicApiFixture, registeredIps } from "../support/public-api-fixture.ts";
import { cloudflareIp, type ReverseProxy, send, startProxy, whyNoProxy } from "../support/reverse-proxy.ts";
import { skipWithReason } from "../support/skip.ts";
import { testsOn } from "../support/tests-on.ts";

setDefaultTimeout(60_000);

const pretended = "198.51.100.7";
const caller = "127.0.0.9";

/** Headers of a caller who would like to have another IP address. */
const forgeries: readonly (readonly [what: string, ...lines: string[]])[] = [
  ["an IP address", `X-Forwarded-For: ${pretended}`],
  ["a chain that ends with the proxy", `X-Forwarded-For: ${pretended}, 127.0.0.1`],
  ["two headers", `x-forwarded-for: ${pretended}`, `X-Forwarded-For: ${pretended}, 127.0.0.1`],
  [
    "a header that concerns only one connection",
    "Connection: X-Forwarded-For",
    `X-Forwarded-For: ${pretended}`,
  ],
  [
    "the headers of other products",
    `Forwarded: for=${pretended}`,
    ...["X-Real-IP", "CF-Connecting-IP", "True-Client-IP", "X_Forwarded_For"].map(
      (name) => `${name}: ${pretended}`,
    ),
  ],
];

// The IP address is determined before any database access, so one database is enough.
const proxies: readonly ReverseProxy[] = ["nginx", "nginx behind Cloudflare", "Caddy"];
// Debian has no package of it, so only `npm run test:all` needs it.
const tried = isWholeRun ? [...proxies, "Traefik" as const] : proxies;

describe.each(tried.map((name) => ({ proxy: name })))("$proxy with the manual's settings", ({ proxy }) => {
  const missing = whyNoProxy(proxy);
  if (missing !== null) {
    skipWithReason(`${proxy} with the manual's settings`, missing);
    return;
  }
  testsOn("sqlite", proxy, openPublicApiFixture, (fixture) => {
    let running: Awaited<ReturnType<typeof startProxy>>;
    beforeAll(async () => {
      running = await startProxy(proxy, fixture.server.port);
    });
    afterAll(() => running?.stop());

    /** The IP address that is registered for a caller with these headers. */
    const registered = async (lines: readonly string[], from = caller) => {
      const { id, key } = await fixture.org.license({ maxIps: 1 });
      const authorization = `Authorization: Bearer ${fixture.org.apiKey}`;
      const body = JSON.stringify({ license_key: key });
      const answer = await send(running.port, "POST /api/v1/validate", {
        from,
        lines: [authorization, ...lines],
        body,
      });
      expect(JSON.parse(answer.body)).toMatchObject({ status: "active", ip_registered: true });
      return registeredIps(fixture.store, id);
    };

    test("a caller has their own IP address", async () => expect(await registered([])).toEqual([caller]));

    test.each(forgeries)("a caller cannot choose their IP address with %s", async (_, ...lines) =>
      expect(await registered(lines)).toEqual([caller]),
    );

    if (proxy === "nginx behind Cloudflare")
      test("a caller behind Cloudflare has the IP address that Cloudflare names, whatever they send", async () => {
        const visitor = "203.0.113.9";
        const lines = [`CF-Connecting-IP: ${visitor}`, `X-Forwarded-For: ${pretended}, ${visitor}`];
        expect(await registered(lines, cloudflareIp)).toEqual([visitor]);
      });

    test("a file for an import arrives, and metrics are not shown", async () => {
      const path = `POST /api/manage/v1/products/${fixture.org.productId}/licenses/import`;
      const lines = ["Content-Type: text/csv"];
      const { status, headers } = await send(running.port, path, { lines, body: "x".repeat(3_000_000) });
      expect([status, headers.has("x-request-id")]).toEqual([401, true]);
      expect((await send(running.port, "GET /metrics")).status).toBe(404);
    });
  });
});
