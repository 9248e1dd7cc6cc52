import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, gunzipSync, gzipSync } from "node:zlib";
import { DashboardPages, firstSegments, portalSegments, siteHeader } from "./pages.ts";

const folder = mkdtempSync(join(tmpdir(), "countersign-pages-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const script = "export const answer = 42;\n".repeat(100);
mkdirSync(join(folder, "assets"));
writeFileSync(join(folder, "index.html"), '<meta name="csp-nonce" content="%NONCE%">');
writeFileSync(join(folder, "portal.html"), '<meta name="portal-base" content="%BASE%">');
writeFileSync(join(folder, "assets", "main-abc.js"), script);
writeFileSync(join(folder, "assets", "main-abc.js.br"), brotliCompressSync(script));
writeFileSync(join(folder, "assets", "main-abc.js.gz"), gzipSync(script));
writeFileSync(join(folder, "favicon.svg"), "<svg/>");
writeFileSync(join(folder, ".built-from"), "a fingerprint");

const pages = new DashboardPages(folder);
const ownHost = new DashboardPages(folder, { portalUrl: "https://portal.example.com" });
const page = { accept: "text/html,application/xhtml+xml" };

describe("the dashboard's pages", () => {
  test.each(["/", "/sign-in", "/o/nordlicht/licenses?status=active", "/setup?token=x"])(
    "%s is the page, with a policy that allows nothing external",
    async (path) => {
      const answer = ask(path, page);
      expect(answer.status).toBe(200);
      const policy = answer.headers.get("content-security-policy") ?? "";
      const nonce = /'nonce-([\w-]{22})'/.exec(policy)?.[1];
      expect(await answer.text()).toBe(`<meta name="csp-nonce" content="${nonce}">`);
      expect(policy).toStartWith("default-src 'none'; script-src 'self'; ");
      expect(policy).not.toContain("unsafe");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(answer.headers.get("cache-control")).toBe("no-store");
    },
  );

  test.each([
    ["/", { accept: "*/*" }],
    ["/", {}],
    ["/?utm_source=x", { accept: "*/*" }],
    ["/sign-in", { accept: "*/*" }],
    ["/o/nordlicht/licenses", { accept: "text/*;q=0.5" }],
    ["/setup?token=x", {}],
  ])("%s is the page for a program that accepts anything: %j", (path, headers) => {
    const answer = ask(path, headers as Record<string, string>);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
  });

  test("every page that the dashboard's router knows is known here", () => {
    const web = join(import.meta.dir, "../../../web");
    const found = new Set<string>();
    for (const file of readdirSync(web, { recursive: true, encoding: "utf8" })) {
      if (!file.endsWith("routes.tsx") || file.startsWith("node_modules")) continue;
      const text = readFileSync(join(web, file), "utf8");
      for (const [, path] of text.matchAll(/=> (?:authLayout|signedIn|root)Route,\s+path: "\/([^"/]*)/g))
        if (path !== undefined && path !== "") found.add(path);
    }
    expect([...found].sort()).toEqual([...firstSegments].sort());
  });

  test("every response has its own nonce", async () => {
    const texts = await Promise.all([ask("/", page).text(), ask("/", page).text()]);
    expect(texts[0]).not.toBe(texts[1] ?? "");
  });

  test("a file with a hash in its name is cached for a year, and compressed for clients that accept it", async () => {
    const plain = ask("/assets/main-abc.js");
    expect(await plain.text()).toBe(script);
    expect(plain.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(plain.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(plain.headers.get("content-encoding")).toBeNull();
    const packed = ask("/assets/main-abc.js", { "accept-encoding": "gzip, br" });
    expect(packed.headers.get("content-encoding")).toBe("br");
    expect(packed.headers.get("vary")).toBe("accept-encoding");
    expect((await packed.arrayBuffer()).byteLength).toBeLessThan(script.length);
    const forPlainHttp = ask("/assets/main-abc.js", { "accept-encoding": "gzip, deflate" });
    expect(forPlainHttp.headers.get("content-encoding")).toBe("gzip");
    expect(gunzipSync(await forPlainHttp.arrayBuffer()).toString()).toBe(script);
    const refused = ask("/assets/main-abc.js", { "accept-encoding": "br;q=0, gzip;q=0.5" });
    expect(refused.headers.get("content-encoding")).toBe("gzip");
    expect(ask("/favicon.svg").headers.get("cache-control")).toBe("public, max-age=3600");
  });

  test.each([
    ["a removed asset", "/assets/main-old.js", page],
    ["an API path that does not exist", "/api/v2/validate", page],
    ["an API path, for a program that accepts anything", "/api/v2/validate", { accept: "*/*" }],
    ["a misspelt API path", "//api/v1/validate", { accept: "*/*" }],
    ["an unknown path, for a program that accepts anything", "/nothing", { accept: "*/*" }],
    ["a page, for a program that accepts only JSON", "/sign-in", { accept: "application/json" }],
    ["a path that only starts like the portal's", "/portals", { accept: "*/*" }],
    ["the portal's page by the name of its file", "/portal.html", { accept: "*/*" }],
    ["a path that leaves the folder", "/assets/../../package.json", {}],
    ["a file that only the build uses", "/.built-from", {}],
    ["a compressed file by its own name", "/assets/main-abc.js.br", {}],
    ["another compressed file by its own name", "/assets/main-abc.js.gz", {}],
  ])("%s is not found", (_, path, headers) => {
    expect(ask(path, headers as Record<string, string>).status).toBe(404);
  });

  test.each(["/portal", "/portal/", "/portal/licenses/lic_1?x=y", "/portal/nothing-like-it"])(
    "%s is the portal, below its path, with the same policy",
    async (path) => {
      const answer = ask(path, page);
      expect(answer.status).toBe(200);
      expect(await answer.text()).toBe('<meta name="portal-base" content="/portal">');
      const policy = answer.headers.get("content-security-policy") ?? "";
      expect(policy).toStartWith("default-src 'none'; script-src 'self'; ");
      expect(policy).not.toContain("unsafe");
      expect(answer.headers.get("cache-control")).toBe("no-store");
      expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
    },
  );

  test.each(["/", "/licenses/lic_1", "/sign-in", "/o/nordlicht"])(
    "on the portal's own host, %s is the portal, and nothing is the dashboard",
    async (path) => {
      const answer = ownHost.answer(requestFor(path, { ...page, [siteHeader]: "portal" }), "id");
      expect(answer.status).toBe(200);
      expect(await answer.text()).toBe('<meta name="portal-base" content="">');
    },
  );

  test.each([
    ["/portal", "https://portal.example.com/"],
    ["/portal/", "https://portal.example.com/"],
    ["/portal/licenses/lic_1?x=%20y&z", "https://portal.example.com/licenses/lic_1?x=%20y&z"],
    ["/portal//elsewhere.example/x", "https://portal.example.com/elsewhere.example/x"],
    ["/portal/@elsewhere.example", "https://portal.example.com/@elsewhere.example"],
  ])("with a portal on its own host, %s leads to %s", (path, target) => {
    for (const site of [{}, { [siteHeader]: "portal" }]) {
      const answer = ownHost.answer(requestFor(path, { ...page, ...site }), "id");
      expect(answer.status).toBe(302);
      expect(answer.headers.get("location")).toBe(target);
    }
  });

  test("with a portal on its own host, other paths of the main host are still the dashboard", async () => {
    const answer = ownHost.answer(requestFor("/sign-in", page), "id");
    expect(await answer.text()).toContain("csp-nonce");
  });

  test("every page that the portal's router knows is known here", () => {
    const source = readFileSync(join(import.meta.dir, "../../../web/portal/pages.ts"), "utf8");
    const found = [...source.matchAll(/: "\/([\w-]+)/g)].map(([, segment = ""]) => segment);
    expect([...new Set(found)].sort()).toEqual([...portalSegments].sort());
    for (const segment of portalSegments) {
      expect(ask(`/portal/${segment}`, { accept: "*/*" }).status).toBe(200);
      const own = requestFor(`/${segment}`, { accept: "*/*", [siteHeader]: "portal" });
      expect(ownHost.answer(own, "id").status).toBe(200);
    }
  });

  test("a POST is not found", () => {
    expect(ask("/sign-in", page, "POST").status).toBe(404);
  });

  test("without a build, the response says how to build it", async () => {
    const none = new DashboardPages(join(folder, "nowhere"));
    const answer = none.answer(new Request("http://localhost/", { headers: page }), "id");
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain("npm run build");
  });
});

function ask(path: string, headers: Record<string, string> = {}, method = "GET"): Response {
  return pages.answer(requestFor(path, headers, method), "id");
}

function requestFor(path: string, headers: Record<string, string>, method = "GET"): Request {
  return new Request(`http://localhost${path}`, { method, headers });
}
