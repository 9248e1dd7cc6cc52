// Runs the client in Cloudflare's runtime and in a service worker of Chromium. CONFORMANCE_URL is the URL of the
// conformance server, and COUNTERSIGN_BUN the Bun executable, whose bundler is used.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, describe, test } from "node:test";

const here = import.meta.dirname;
const conformanceUrl = process.env.CONFORMANCE_URL;
const key = "ABCD-EFGH-JKMN-PQRS";
const bundles = join(here, "bundles");
mkdirSync(bundles, { recursive: true });
const ends = [];
after(() => Promise.all(ends.map((end) => end())));

/** Bundles as for a browser, but fails if anything of Node.js is needed. */
function bundle(file) {
  const outfile = join(bundles, file.replace(/\.mjs$/, ".js"));
  const args = ["build", join(here, file), "--target=browser", "--external=node:*", `--outfile=${outfile}`];
  const { status, stderr } = spawnSync(process.env.COUNTERSIGN_BUN ?? "bun", args, { encoding: "utf8" });
  assert.equal(status, 0, stderr);
  assert.doesNotMatch(readFileSync(outfile, "utf8"), /["']node:|\brequire\(/);
  return outfile;
}

function assertAllPassed(results) {
  assert.ok(Object.keys(results).length > 5);
  for (const [name, result] of Object.entries(results)) assert.equal(result, "passed", name);
}

const { default: workerd } = createRequire(join(process.env.SDKS, "runtimes", "package.json"))("workerd");

/** Starts a worker, and returns its URL. */
async function startWorker() {
  bundle("edge-worker.mjs");
  const config = join(bundles, "worker.capnp");
  writeFileSync(
    config,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker", esModule = embed "edge-worker.js")],
      compatibilityDate = "2024-01-01",
      globalOutbound = "network",
    )),
    (name = "network", network = (allow = ["local", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`,
  );
  const child = spawn(workerd, ["serve", config, "--control-fd=3"], {
    stdio: ["ignore", "inherit", "inherit", "pipe"],
  });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  ends.push(() => {
    child.kill();
    return exited;
  });
  const port = await new Promise((resolve, reject) => {
    let text = "";
    child.stdio[3].on("data", (part) => {
      text += part;
      const found = /"port"\s*:\s*(\d+)/.exec(text);
      if (found !== null) resolve(found[1]);
    });
    child.once("exit", () => reject(new Error("workerd did not start.")));
    child.once("error", reject);
  });
  return `http://127.0.0.1:${port}`;
}

describe("Cloudflare Workers", () => {
  let url;
  test("every check passes in a Cloudflare Worker", async () => {
    url = await startWorker();
    const response = await fetch(`${url}/checks?server=${encodeURIComponent(conformanceUrl)}`);
    assertAllPassed(await response.json());
  });

  describe("shared clients", () => {
    let caseUrl;
    const receivedCount = async () => (await (await fetch(caseUrl)).json()).requests.length;
    const visit = async (licenseKey, signal) => {
      const bindings = new URLSearchParams({ COUNTERSIGN_URL: caseUrl, COUNTERSIGN_API_KEY: "csk_test" });
      const headers = { "x-license-key": licenseKey, "cf-connecting-ip": "203.0.113.7" };
      const response = await fetch(`${url}/reports/May?${bindings}`, { headers, signal });
      return [response.status, await response.text()];
    };
    const served = [200, '{"report":"May","status":"active"}'];

    test("concurrent visitors of one client are served, with one key and with more keys than the limit", async () => {
      const answers = [{ validate: {}, after_ms: 100 }];
      const started = await fetch(`${conformanceUrl}/cases`, {
        method: "POST",
        body: JSON.stringify({ now: new Date().toISOString(), answers }),
      });
      caseUrl = (await started.json()).url;
      const keys = Array.from({ length: 40 }, (_, index) => (index < 10 ? key : `VISITOR-${index}`));
      const answersReceived = await Promise.all(keys.map((licenseKey) => visit(licenseKey)));
      for (const answer of answersReceived) assert.deepEqual(answer, served);
    });

    test("a visitor who disconnects does not affect others of the same client and key", async () => {
      const before = await receivedCount();
      const controller = new AbortController();
      const first = visit("SHARED-KEY", controller.signal).catch((error) => error.name);
      while ((await receivedCount()) === before) await new Promise((resolve) => setTimeout(resolve, 5));
      const second = visit("SHARED-KEY");
      controller.abort();
      assert.deepEqual(await second, served);
      await first;
    });
  });
});

const chromium = [
  process.env.CHROMIUM ?? "",
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
].find((path) => path !== "" && existsSync(path));

describe("service workers", () => {
  test("checks pass in Chromium", { skip: chromium === undefined && "There is no Chromium." }, async () => {
    const script = readFileSync(bundle("edge-service-worker.mjs"));
    const page = await servePage(script);
    // The browser driver of the whole project.
    const { chromium: driver } = createRequire(join(process.env.SDKS, "..", "package.json"))(
      "playwright-core",
    );
    const browser = await driver.launch({
      executablePath: chromium,
      args: ["--no-sandbox", "--disable-gpu"],
    });
    ends.push(() => browser.close());
    const tab = await browser.newPage();
    await tab.goto(page);
    const results = await tab.evaluate(async () => {
      const { navigator, MessageChannel } = globalThis;
      await navigator.serviceWorker.register("/worker.js", { type: "module" });
      const { active } = await navigator.serviceWorker.ready;
      return new Promise((resolve) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = ({ data }) => resolve(data);
        active.postMessage("run", [port2]);
      });
    });
    assertAllPassed(results);
  });
});

/** Serves an empty page and its service worker, and passes everything else on to the conformance server. */
async function servePage(script) {
  const server = createServer(async (request, response) => {
    if (request.url === "/") return response.setHeader("content-type", "text/html").end("<!doctype html>");
    if (request.url === "/worker.js")
      return response.setHeader("content-type", "text/javascript").end(script);
    const parts = [];
    for await (const part of request) parts.push(part);
    const { host: _, connection: __, "content-length": ___, ...headers } = request.headers;
    try {
      const answer = await fetch(conformanceUrl + request.url, {
        method: request.method,
        headers,
        ...(parts.length === 0 ? {} : { body: Buffer.concat(parts) }),
      });
      const text = await answer.text();
      const {
        "content-length": _length,
        "content-encoding": _coding,
        ...passed
      } = Object.fromEntries(answer.headers);
      response.writeHead(answer.status, passed).end(text);
    } catch {
      response.destroy();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${server.address().port}/`;
}
