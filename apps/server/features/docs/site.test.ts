import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DocsSite } from "./site.ts";

const folder = mkdtempSync(join(tmpdir(), "countersign-docs-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const site = new DocsSite(folder);
const inline = "document.documentElement.classList.add('dark')";
const browser = { accept: "text/html,*/*" };

function ask(path: string, headers: Record<string, string> = browser): Response {
  return site.answer(new Request(`http://localhost/docs${path}`, { headers }), "id");
}

test("until it is built, a browser is told so and asks again, and then the documentation is served", async () => {
  const waiting = ask("/");
  expect(waiting.status).toBe(503);
  expect(waiting.headers.get("refresh")).toBe("5");
  expect(await waiting.text()).toContain("is being built");
  for (const name of ["assets", "operating", "reference"]) mkdirSync(join(folder, name));
  for (const [name, content] of Object.entries({
    "operating/index.html": "operating",
    "operating/backups.html": `<script>${inline}</script><script type="module" src="/docs/assets/a.js"></script>`,
    "operating/backups.md": "# Backups\n",
    "reference/api.html": "api",
    "404.html": "missing",
    "assets/a.abc.js": "1",
    "llms.txt": "# Countersign\n",
    "index.html": "home",
  }))
    writeFileSync(join(folder, name), content);
  expect(await ask("/").text()).toBe("home");
});

describe("once it is built", () => {
  beforeAll(() => void ask("/"));

  test.each([
    ["", "/docs/"],
    ["/index.html", "/docs/"],
    ["/operating", "/docs/operating/"],
    ["/operating/index", "/docs/operating/"],
    ["/operating/index.html?x=1", "/docs/operating/?x=1"],
    ["/operating/backups/", "/docs/operating/backups"],
    ["/operating/backups.html", "/docs/operating/backups"],
  ])("%s leads to the page's only address, %s", (path, location) => {
    const { status, headers } = ask(path);
    expect([status, headers.get("location")]).toEqual([302, location]);
  });

  test("a page allows its own inline script, and nothing else that is not a file of this server", () => {
    const policy = ask("/operating/backups").headers.get("content-security-policy") ?? "";
    const hash = createHash("sha256").update(inline).digest("base64");
    expect(policy).toStartWith(`default-src 'none'; script-src 'self' 'sha256-${hash}'; style-src 'self'; `);
    expect(policy).not.toContain("http");
    const reference = ask("/reference/api").headers.get("content-security-policy") ?? "";
    expect(reference).toStartWith(
      "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; ",
    );
  });

  test("a page is asked for again and not sent again while it is unchanged; a file with a hash in its name is kept", () => {
    const { headers } = ask("/operating/backups");
    expect(headers.get("cache-control")).toBe("no-cache");
    const again = ask("/operating/backups", { "if-none-match": headers.get("etag") ?? "" });
    expect([again.status, again.body]).toEqual([304, null]);
    expect(ask("/assets/a.abc.js").headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  });

  test("every page is there as Markdown too", async () => {
    const answer = ask("/operating/backups.md", {});
    expect(answer.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    expect(await answer.text()).toBe("# Backups\n");
  });

  test.each(["/nothing", "/../package.json", "/assets/gone.js", "/operating/backups/more"])(
    "%s is the site's page for a browser, and a problem for a program, both with 404",
    async (path) => {
      const answer = ask(path);
      expect([answer.status, await answer.text()]).toEqual([404, "missing"]);
      const forProgram = ask(path, {});
      expect([forProgram.status, forProgram.headers.get("content-type")]).toEqual([
        404,
        "application/json; charset=utf-8",
      ]);
    },
  );
});
