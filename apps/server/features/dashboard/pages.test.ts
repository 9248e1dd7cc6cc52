import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, gunzipSync, gzipSync } from "node:zlib";
import { siteHeader } from "../../http/request.ts";
import { DashboardPages, firstSegments, portalSegments } from "./pages.ts";

const folder = mkdtempSync(join(tmpdir(), "countersign-pages-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const script = "export const answer = 42;\n".repeat(100);
mkdirSync(join(folder, "assets"));
for (const [name, content] of Object.entries({
  "index.html": '<meta name="csp-nonce" content="%NONCE%">',
  "portal.html": '<meta name="portal-base" content="%BASE%">',
  "assets/main-abc.js": script,
  "assets/main-abc.js.br": brotliCompressSync(script),
  "assets/main-abc.js.gz": gzipSync(script),
  "favicon.svg": "<svg/>",
  ".built-from": "a fingerprint",
}))
  writeFileSync(join(folder, name), content);

const pages = new DashboardPages(folder);
const withPortalHost = new DashboardPages(folder, { portalUrl: "https://portal.example.com" });
const page = { accept: "text/html,application/xhtml+xml" };
const anything = { accept: "*/*" };
const onPortalHost = { [siteHeader]: "portal" };

function ask(path: string, headers: Record<string, string> = {}, { from = pages, method = "GET" } = {}) {
  return from.answer(new Request(`http://localhost${path}`, { method, headers }), "id");
}

function askOwnHost(path: string, headers: Record<string, string>) {
  return ask(path, { ...headers, ...onPortalHost }, { from: withPortalHost });
}

/** A page whose policy allows nothing external, and which no cache keeps. */
function expectPage(answer: Response): string {
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(answer.headers.get("cache-control")).toBe("no-store");
  const policy = answer.headers.get("content-security-policy") ?? "";
  expect(policy).toStartWith("default-src 'none'; script-src 'self'; ");
  expect(policy).not.toContain("unsafe");
  return policy;
}

describe("pages of the dashboard", () => {
  test.each<[path: string, headers: Record<string, string>]>([
    ["/", page],
    ["/o/nordlicht/licenses?status=active", page],
    ["/?utm_source=x", anything],
    ["/sign-in", anything],
    ["/setup?token=x", {}],
    ["/o/nordlicht/licenses", { accept: "text/*;q=0.5" }],
  ])("the dashboard has its page at %s for %j with a nonce", async (path, headers) => {
    const answer = ask(path, headers);
    const policy = expectPage(answer);
    expect(policy).toContain("frame-ancestors 'none'");
    const nonce = /'nonce-([\w-]{22})'/.exec(policy)?.[1];
    expect(await answer.text()).toBe(`<meta name="csp-nonce" content="${nonce}">`);
  });

  test("the dashboard has another nonce in every response", async () => {
    const texts = await Promise.all([ask("/", page).text(), ask("/", page).text()]);
    expect(texts[0]).not.toBe(texts[1] ?? "");
  });

  test("the dashboard has every page that its router knows", () => {
    const routes = join(import.meta.dir, "../../../web/routes");
    const found = new Set<string>();
    for (const file of readdirSync(routes)) {
      const text = readFileSync(join(routes, file), "utf8");
      const hasFirstSegments = /pagesBelow\((?:signedOut|signedIn)Route\b/.test(text);
      const declaration = hasFirstSegments
        ? /(?:=> signedInRoute,\s+path: |[pP]age\(\s*)"\/([^"/]+)/g
        : /=> signedInRoute,\s+path: "\/([^"/]+)/g;
      for (const [, segment = ""] of text.matchAll(declaration)) found.add(segment);
    }
    expect([...found].sort()).toEqual([...firstSegments].sort());
  });
});

test("a file with a hash in its name is cached for a year, and compressed for clients that accept it", async () => {
  const plain = ask("/assets/main-abc.js");
  expect(await plain.text()).toBe(script);
  expect(Object.fromEntries(plain.headers)).toMatchObject({
    "cache-control": "public, max-age=31536000, immutable",
    "content-type": "text/javascript; charset=utf-8",
  });
  const encoded = (accepted: string) => ask("/assets/main-abc.js", { "accept-encoding": accepted });
  expect(plain.headers.get("content-encoding")).toBeNull();
  const packed = encoded("gzip, br");
  expect(packed.headers.get("content-encoding")).toBe("br");
  expect(packed.headers.get("vary")).toBe("accept-encoding");
  expect((await packed.arrayBuffer()).byteLength).toBeLessThan(script.length);
  const forPlainHttp = encoded("gzip, deflate");
  expect(forPlainHttp.headers.get("content-encoding")).toBe("gzip");
  expect(gunzipSync(await forPlainHttp.arrayBuffer()).toString()).toBe(script);
  expect(encoded("br;q=0, gzip;q=0.5").headers.get("content-encoding")).toBe("gzip");
  expect(ask("/favicon.svg").headers.get("cache-control")).toBe("public, max-age=3600");
});

test.each<[what: string, path: string, headers?: Record<string, string>, method?: string]>([
  ["a removed asset", "/assets/main-old.js", page],
  ["an API path that does not exist", "/api/v2/validate", page],
  ["an API path, for a program that accepts anything", "/api/v2/validate", anything],
  ["an unknown path, for a program that accepts anything", "/nothing", anything],
  ["a page, for a program that accepts only JSON", "/sign-in", { accept: "application/json" }],
  ["a page to which something is sent", "/sign-in", page, "POST"],
  ["a path that only starts like the portal's", "/portals", anything],
  ["the portal's page by the name of its file", "/portal.html", anything],
  ["a path that leaves the folder", "/assets/../../package.json"],
  ["a file that only the build uses", "/.built-from"],
  ["a compressed file by its own name", "/assets/main-abc.js.br"],
])("%s is not found", (_, path, headers = {}, method = "GET") => {
  expect(ask(path, headers, { method }).status).toBe(404);
});

describe("pages of the portal", () => {
  test.each([
    ["/portal", "of the main host", ask, "/portal"],
    ["/portal/", "of the main host", ask, "/portal"],
    ["/portal/licenses/lic_1?x=y", "of the main host", ask, "/portal"],
    ["/licenses/lic_1", "of its own host", askOwnHost, ""],
    ["/sign-in", "of its own host, where nothing is the dashboard", askOwnHost, ""],
  ])("the portal has its page at %s %s", async (path, _, askHost, base) => {
    const answer = askHost(path, page);
    expectPage(answer);
    expect(await answer.text()).toBe(`<meta name="portal-base" content="${base}">`);
    expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
  });

  test.each([
    ["/portal", "/"],
    ["/portal/licenses/lic_1?x=%20y&z", "/licenses/lic_1?x=%20y&z"],
    ["/portal//elsewhere.example/x", "/elsewhere.example/x"],
    ["/portal/@elsewhere.example", "/@elsewhere.example"],
  ])("the portal leads from %s to %s of its own host if it has one", (path, target) => {
    for (const site of [{}, onPortalHost]) {
      const { status, headers } = ask(path, { ...page, ...site }, { from: withPortalHost });
      expect([status, headers.get("location")]).toEqual([302, `https://portal.example.com${target}`]);
    }
  });

  test("the other paths of the main host are the dashboard's if the portal has its own host", async () =>
    expect(await ask("/sign-in", page, { from: withPortalHost }).text()).toContain("csp-nonce"));

  test("the portal has every page that its router knows", () => {
    const source = readFileSync(join(import.meta.dir, "../../../web/portal/base/pages.ts"), "utf8");
    const found = [...source.matchAll(/: "\/([\w-]+)/g)].map(([, segment = ""]) => segment);
    expect([...new Set(found)].sort()).toEqual([...portalSegments].sort());
    for (const segment of portalSegments) {
      expect(ask(`/portal/${segment}`, anything).status).toBe(200);
      expect(askOwnHost(`/${segment}`, anything).status).toBe(200);
    }
  });
});

test("without a build of the dashboard, the response says how to build it", async () => {
  const answer = ask("/", page, { from: new DashboardPages(join(folder, "nowhere")) });
  expect(answer.status).toBe(503);
  expect(await answer.text()).toContain("npm run build");
});
