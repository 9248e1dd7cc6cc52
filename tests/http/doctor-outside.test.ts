import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Check } from "../../apps/server/features/doctor/check.ts";
import { checkCertificate, checkClock, checkRedirect } from "../../apps/server/features/doctor/outside.ts";
import { checkCallerIp } from "../../apps/server/features/doctor/outside-proxy.ts";
import { selfSigned } from "../support/certificate.ts";
import { sqlite } from "../support/databases.ts";
import { freePort } from "../support/free-port.ts";
import { startProxy, whyNoProxy } from "../support/reverse-proxy.ts";
import { runCountersign, startServerProcess } from "../support/server-process.ts";
import { skipWithReason } from "../support/skip.ts";

setDefaultTimeout(60_000);

const folder = mkdtempSync(join(tmpdir(), "countersign-doctor-"));
const certificate = selfSigned("localhost");
const authority = join(folder, "authority.pem");
writeFileSync(authority, certificate.cert);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What doctor finds at this URL, from a process that trusts the certificate. */
async function examine(url: string, environment: Readonly<Record<string, string>> = {}) {
  const trusting = { NODE_EXTRA_CA_CERTS: authority, ...environment };
  const { code, stdout } = await runCountersign(["doctor", "--url", url, "--json"], trusting);
  const { checks }: { checks: readonly Check[] } = JSON.parse(stdout);
  const named = (state: Check["state"]) =>
    checks.filter((one) => one.state === state).map(({ name }) => name);
  return { code, checks, ok: named("ok"), warnings: named("warning"), problems: named("problem") };
}

const forwarded = "proxy_set_header X-Forwarded-For $remote_addr;";

/** Wrong settings of nginx, and what doctor must find. */
const wrong: readonly (readonly [
  what: string,
  changes: Readonly<Record<string, string>>,
  problems: readonly Check["name"][],
  warnings: readonly Check["name"][],
])[] = [
  [
    "appends to the caller's X-Forwarded-For",
    { [forwarded]: "proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;" },
    ["forged-ip"],
    [],
  ],
  ["passes the caller's X-Forwarded-For on", { [forwarded]: "" }, ["caller-ip", "forged-ip"], []],
  ["is not trusted", { [forwarded]: `${forwarded} proxy_bind 127.0.0.3;` }, ["caller-ip"], []],
  [
    "has nearly every setting wrong",
    {
      [forwarded]: 'proxy_set_header X-Forwarded-For "";',
      "  client_max_body_size 100m;\n": "",
      "proxy_buffering off;":
        'proxy_buffering on; proxy_ignore_headers X-Accel-Buffering; proxy_set_header Accept-Encoding "";',
      "proxy_set_header Host $http_host;": "proxy_hide_header X-Request-Id; proxy_cookie_flags ~ nosecure;",
      "proxy_read_timeout 90s;": "add_header X-Frame-Options SAMEORIGIN always;",
      "return 404;": "proxy_pass http://countersign;",
    },
    ["caller-ip", "validate", "streaming", "body-size", "cookies", "headers", "portal"],
    ["compression", "metrics"],
  ],
  ["leads nowhere", { "127.0.0.1:3000;": "127.0.0.1:3000 down;" }, ["reachable"], []],
];

describe("doctor --url", () => {
  const missing = whyNoProxy("nginx");
  if (missing !== null) {
    skipWithReason("doctor --url with nginx", missing);
    return;
  }
  let server: Awaited<ReturnType<typeof startServerProcess>>;
  let ports: readonly [main: number, portal: number];
  let url: string;
  let remove = () => {};
  beforeAll(async () => {
    const database = await sqlite.make();
    remove = database.remove;
    ports = [await freePort(), await freePort()];
    url = `https://localhost:${ports[0]}`;
    server = await startServerProcess({
      ...database.environment,
      COUNTERSIGN_URL: url,
      COUNTERSIGN_PORTAL_URL: `https://localhost:${ports[1]}`,
      COUNTERSIGN_TRUSTED_PROXIES: "127.0.0.1",
    });
  });
  afterAll(async () => {
    await server?.stop();
    remove();
  });

  test("nginx with the manual's settings has no problems, and its certificate is only as good as its authority", async () => {
    const proxy = await startProxy("nginx", server.port, { ports, certificate });
    const found = await examine(url);
    // It is valid until tomorrow.
    expect(found).toMatchObject({ code: 0, problems: [], warnings: ["certificate"] });
    expect(found.ok).toHaveLength(13);
    const unknown = await examine(url, { NODE_EXTRA_CA_CERTS: "" });
    expect(unknown).toMatchObject({ code: 1, problems: ["certificate", "portal"], warnings: [] });
    await proxy.stop();
  });

  test.each(wrong)("nginx that %s is found", async (_, changes, problems, warnings) => {
    const proxy = await startProxy("nginx", server.port, { ports, certificate, changes });
    const found = await examine(url);
    const others = found.warnings.filter((name) => name !== "certificate");
    expect<unknown>([found.code, found.problems, others]).toEqual([1, problems, warnings]);
    for (const { name, state, action } of found.checks) {
      expect([name, action === null]).toEqual([name, state === "ok"]);
      // Only the settings of the proxy that is there.
      if (action?.includes("proxies.md") && name !== "certificate") expect(action).toStartWith("nginx: ");
    }
    await proxy.stop();
  });

  test("a URL that is not the server's, and a proxy that trusts every caller, are found", async () => {
    const absent = whyNoProxy("Caddy");
    if (absent !== null) return skipWithReason("doctor --url with Caddy", absent);
    const proxy = await startProxy("Caddy", server.port, {
      changes: { "		flush_interval -1": "		trusted_proxies private_ranges" },
    });
    const { problems } = await examine(`http://127.0.0.1:${proxy.port}`);
    expect(problems).toEqual(["origin", "forged-ip", "cookies", "portal"]);
    await proxy.stop();
  });

  test("plain HTTP must redirect to HTTPS, or not be answered", async () => {
    const at = async (port: number) => (await checkRedirect(new URL(url), port))[0]?.state;
    expect(await at(await freePort())).toBe("ok");
    expect(await at(server.port)).toBe("problem");
    const redirecting = Bun.serve({ port: 0, fetch: () => Response.redirect("https://localhost/") });
    expect(await at(redirecting.port ?? 0)).toBe("ok");
    await redirecting.stop(true);
  });
});

test("behind Cloudflare, the IP address must be the one that Cloudflare sees", async () => {
  let ip = "192.0.2.9";
  const answers: Readonly<Record<string, () => Response>> = {
    "/api/manage/v1/connection": () => Response.json({ ip, forwarded_for: "used" }),
    "/cdn-cgi/trace": () => new Response("h=license.example.com\nip=192.0.2.9\nts=1\n"),
  };
  const edge = Bun.serve({
    port: 0,
    fetch: (request) => {
      const response = answers[new URL(request.url).pathname]?.() ?? new Response(null, { status: 404 });
      response.headers.set("cf-ray", "8f00-FRA");
      return response;
    },
  });
  const at = new URL(`http://127.0.0.1:${edge.port}`);
  expect((await checkCallerIp(at)).state).toBe("ok");
  ip = "172.64.0.1";
  expect(await checkCallerIp(at)).toMatchObject({
    state: "problem",
    message: expect.stringContaining("as 192.0.2.9, but the server as 172.64.0.1"),
    action: expect.stringContaining("set_real_ip_from"),
  });
  await edge.stop(true);
});

test("what answers but is not Countersign, or is no HTTP, is a finding and not an error", async () => {
  const other = Bun.serve({ port: 0, fetch: () => new Response("<html>", { status: 200 }) });
  const rubbish = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: { open: (socket) => void socket.end("\0\0\xff nonsense\r\n\r\n"), data: () => {} },
  });
  for (const port of [other.port, rubbish.port, await freePort()])
    expect(await examine(`http://127.0.0.1:${port}`)).toMatchObject({ code: 1, problems: ["reachable"] });
  await other.stop(true);
  rubbish.stop(true);
});

test.each(["license.example.com", "ftp://example.com", "https://example.com/path", ""])(
  "--url %p is refused with a sentence",
  async (text) => {
    const { code, stderr } = await runCountersign(["doctor", "--url", text]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("It must be a URL without a path")]);
  },
);

const url = new URL("https://license.example.com");
const nowMs = Date.parse("2026-06-15T12:00:00Z");
const ending = (validTo: string, { protocol = "TLSv1.3", refusal = null as string | null } = {}) =>
  checkCertificate(
    url,
    {
      connection: {
        localIp: "192.0.2.1",
        remoteIp: "192.0.2.2",
        tls: { protocol, refusal, certificate: { valid_to: validTo } as never },
      },
    },
    nowMs,
  );

test.each([
  ["a certificate for two more months", ending("Aug 15 12:00:00 2026 GMT"), "ok"],
  ["a certificate for ten more days", ending("Jun 25 12:00:00 2026 GMT"), "warning"],
  ["a certificate of yesterday", ending("Jun 14 12:00:00 2026 GMT"), "problem"],
  ["another host's certificate", ending("Aug 15 12:00:00 2026 GMT", { refusal: "another name" }), "problem"],
  ["an old protocol", ending("Aug 15 12:00:00 2026 GMT", { protocol: "TLSv1.1" }), "problem"],
  ["a clock that is three seconds ahead", checkClock("Mon, 15 Jun 2026 12:00:03 GMT", nowMs), "ok"],
  ["a clock that is a minute behind", checkClock("Mon, 15 Jun 2026 11:59:00 GMT", nowMs), "warning"],
  ["no date", checkClock(null, nowMs), "warning"],
])("%s is a finding", (_, { state }, expected) => expect(state).toBe(expected as typeof state));
