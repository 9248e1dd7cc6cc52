// Runs the snippets of the dashboard and the READMEs, and the examples, against a real server.
// check.mjs copies them into the folder of this file and compiles the TypeScript files.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { signedDelivery } from "./signed-delivery.mjs";

const here = import.meta.dirname;
const sdks = process.env.SDKS;
const key = "ABCD-EFGH-JKMN-PQRS";
const revoked = { outcome: "a revoked license is refused" };
const fullLicense = { outcome: "a new IP address is refused if the limit is reached" };
const signed = { signing: "current", outcome: { product: { signed_validation: 1 } } };
const children = [];
const folders = [];
after(() => {
  for (const child of children) child.kill("SIGKILL");
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Starts a case with these answers, and returns the environment for a program that uses it. */
async function startCase(...answers) {
  const started = await fetch(`${process.env.CONFORMANCE_URL}/cases`, {
    method: "POST",
    body: JSON.stringify({ now: "2026-06-01T12:00:00.000Z", answers }),
  });
  const { url, client = {} } = await started.json();
  return {
    url,
    productId: client.signing?.product_id ?? "",
    environment: {
      PATH: process.env.PATH,
      COUNTERSIGN_URL: url,
      COUNTERSIGN_API_KEY: client.api_key ?? "csk_test",
      COUNTERSIGN_SIGNING_SECRETS: client.signing?.secrets.join(",") ?? "",
      LICENSE_KEY: key,
    },
  };
}

/** A snippet with what the dashboard fills in. */
function filledIn(file, { url, productId }) {
  const text = readFileSync(join(here, "snippets", file), "utf8")
    .replaceAll("https://license.example.com", url)
    .replaceAll("PRODUCT-ID", productId)
    // Listens on the loopback interface only.
    .replace("?? 8080)", '?? 8080, "127.0.0.1")');
  const path = join(here, "snippets", `${crypto.randomUUID()}${file.slice(file.lastIndexOf("."))}`);
  writeFileSync(path, text);
  return path;
}

function runToEnd(command, args, env) {
  const { stdout, stderr, status } = spawnSync(command, args, { env, encoding: "utf8", timeout: 90_000 });
  return { status, output: stdout.trim(), errors: stderr };
}

function startProgram(path, env, args = []) {
  const child = spawn(process.execPath, [path, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  children.push(child);
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      text += chunk;
    });
  const ended = new Promise((resolve) => child.on("close", resolve));
  return {
    child,
    ended,
    printed: (line) =>
      until(
        `the program prints ${line}`,
        () => text.includes(line),
        () => text,
      ),
  };
}

async function until(what, condition, context = () => "") {
  const end = Date.now() + 60_000;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`Timed out waiting until ${what}. ${context()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Starts a web service, and waits until it responds. */
async function startWebService(path, started, extra = {}) {
  const port = await freePort();
  startProgram(path, { ...started.environment, ...extra, PORT: String(port) });
  const request = async (route, init = {}) => {
    const response = await fetch(`http://127.0.0.1:${port}${route}`, init);
    const text = await response.text();
    return { status: response.status, text, body: text.startsWith("{") ? JSON.parse(text) : null };
  };
  await until("the service responds", () =>
    request("/").then(
      () => true,
      () => false,
    ),
  );
  return request;
}

const withKey = { headers: { "x-license-key": key, "content-type": "application/json" } };

describe("snippets", () => {
  test("the snippet for Node.js validates a license and its signature", async () => {
    for (const [file, real, line] of [
      ["node.mjs", {}, "Licensed."],
      ["node.mjs", revoked, "Not licensed: revoked"],
      ["signed/node.mjs", signed, "Licensed."],
    ]) {
      const started = await startCase({ real });
      const ended = runToEnd(process.execPath, [filledIn(file, started)], started.environment);
      assert.deepEqual([ended.output, ended.status], [line, 0], ended.errors);
    }
    const started = await startCase({ real: { ...signed, signing: "wrong" } });
    const ended = runToEnd(process.execPath, [filledIn("signed/node.mjs", started)], started.environment);
    assert.equal(ended.status, 1);
    assert.match(ended.errors, /SignatureError/);
  });

  test("the snippet for curl validates a license and its signature", async () => {
    const plain = await startCase({ real: revoked });
    const answer = JSON.parse(runToEnd("sh", [filledIn("curl.sh", plain)], plain.environment).output);
    assert.deepEqual([answer.valid, answer.status], [false, "revoked"]);
    for (const [signing, line] of [
      ["current", "signed by Countersign"],
      ["wrong", "NOT signed by Countersign"],
    ]) {
      const started = await startCase({ real: { ...signed, signing } });
      const lines = runToEnd("bash", [filledIn("signed/curl.sh", started)], started.environment).output.split(
        "\n",
      );
      assert.equal(JSON.parse(lines[0]).status, "active");
      assert.equal(lines[1], line);
    }
  });

  for (const [name, file] of [
    ["Express", "express.mjs"],
    ["NestJS", "nestjs.js"],
  ])
    test(`the snippet for ${name} requires a valid license`, async () => {
      for (const [path, real, status] of [
        [file, {}, 200],
        [file, revoked, 403],
        [`signed/${file}`, signed, 200],
        [`signed/${file}`, { ...signed, signing: "wrong" }, 503],
      ]) {
        const started = await startCase({ real });
        const request = await startWebService(filledIn(path, started), started);
        const answer = await request("/reports", withKey);
        assert.equal(answer.status, status);
        if (status === 200) assert.equal(answer.text, "Licensed.");
        assert.equal((await request("/reports")).status, 401);
      }
    });

  for (const [folder, file] of [
    ["node", "node.mjs"],
    ["express", "express.mjs"],
    ["nestjs", "nestjs.ts"],
  ])
    test(`the snippet for ${folder} is the same as in the README`, () => {
      const snippet = readFileSync(join(sdks, "snippets", file), "utf8");
      assert.ok(readFileSync(join(sdks, folder, "README.md"), "utf8").includes(snippet));
    });
});

test("the README of a package has no relative links, which would be broken in a registry", () => {
  for (const folder of ["node", "express", "nestjs", "python", "java", "java-spring"]) {
    const text = readFileSync(join(sdks, folder, "README.md"), "utf8").replace(/^```.*?^```$/gms, "");
    const links = [...text.matchAll(/\]\(([^)]*)\)/g)].map(([, link]) => link);
    assert.deepEqual(
      links.filter((link) => !/^(https:|#)/.test(link)),
      [],
      folder,
    );
  }
});

describe("examples", () => {
  const home = () => {
    const folder = mkdtempSync(join(tmpdir(), "countersign-example-"));
    folders.push(folder);
    return folder;
  };
  const agent = join(here, "backup-agent.mjs");

  test("the example for Node.js pauses when its license is revoked, and works without a network", async () => {
    const folder = home();
    const settings = { BACKUP_AGENT_HOME: folder, CHECK_EVERY_SECONDS: "1" };
    const started = await startCase({ real: {} });
    const first = startProgram(agent, { ...started.environment, ...settings }, [key]);
    await first.printed("Licensed. Backups start.");
    first.child.kill("SIGTERM");
    assert.equal(await first.ended, 0);

    // The key is stored by now, and the server is unreachable.
    const unreachable = { ...started.environment, ...settings, COUNTERSIGN_URL: "http://127.0.0.1:9" };
    const offline = startProgram(agent, unreachable);
    await offline.printed("The license server is unreachable. Backups start in the grace period.");
    offline.child.kill("SIGTERM");
    await offline.ended;

    const scripted = await startCase({ validate: {} }, { validate: { valid: false, status: "revoked" } });
    const watched = startProgram(agent, { ...scripted.environment, ...settings });
    await watched.printed("This license was revoked. Contact support@example.com. Backups are paused.");
    watched.child.kill("SIGTERM");
    await watched.ended;
  });

  test("the example for Node.js explains why it does not start", async () => {
    const refused = await startCase({ real: revoked });
    const ended = runToEnd(process.execPath, [agent, key], {
      ...refused.environment,
      BACKUP_AGENT_HOME: home(),
    });
    assert.deepEqual(
      [ended.status, ended.errors.trim()],
      [1, "This license was revoked. Contact support@example.com."],
    );
    const full = await startCase({ real: fullLicense });
    const folder = home();
    const limited = runToEnd(process.execPath, [agent, key], {
      ...full.environment,
      BACKUP_AGENT_HOME: folder,
    });
    assert.deepEqual(limited.errors.trim().split("\n"), [
      "This license is already in use on the maximum number of machines.",
      `You can solve this yourself: ${full.url}/portal/open#${key}`,
    ]);
    // A later start reads the stored key and may write to a log, which must not contain it.
    writeFileSync(join(folder, "license-key"), key);
    const later = runToEnd(process.execPath, [agent], { ...full.environment, BACKUP_AGENT_HOME: folder });
    assert.equal(later.status, 1);
    assert.ok(!later.errors.includes(key));
    const unreachable = {
      ...refused.environment,
      BACKUP_AGENT_HOME: home(),
      COUNTERSIGN_URL: "http://127.0.0.1:9",
    };
    const unchecked = runToEnd(process.execPath, [agent, key], unreachable);
    assert.equal(unchecked.status, 1);
    assert.match(unchecked.errors, /could not be checked/);
    assert.equal(runToEnd(process.execPath, [agent], unreachable).status, 2);
  });

  const secret = `whsec_${Buffer.alloc(24, 3).toString("base64")}`;
  const delivery = (type) =>
    signedDelivery(secret, JSON.stringify({ type, timestamp: new Date().toISOString(), data: {} }));

  test("the example for Express serves reports, and refuses an expired license once the webhook arrives", async () => {
    const started = await startCase(
      { validate: { custom: { plan: "pro" } } },
      { validate: { valid: false, status: "expired" } },
    );
    const request = await startWebService(join(here, "shop.mjs"), started, {
      COUNTERSIGN_WEBHOOK_SECRET: secret,
    });
    assert.deepEqual((await request("/prices")).body, { prices: { report: 12 } });
    assert.deepEqual((await request("/prices", withKey)).body, { prices: { report: 0 } });
    const order = { method: "POST", ...withKey, body: JSON.stringify({ title: "May" }) };
    assert.deepEqual((await request("/reports", order)).body, { report: "May", plan: "pro" });
    assert.equal((await request("/countersign", delivery("license.expired"))).status, 204);
    const refused = await request("/reports", order);
    assert.equal(refused.status, 403);
    assert.deepEqual(refused.body, {
      message: "Your license has expired. Renew it to get reports again.",
      portal_url: `${started.url}/portal/open#${key}`,
    });
    const missing = await request("/reports", { method: "POST" });
    assert.deepEqual([missing.status, Object.keys(missing.body)], [401, ["message"]]);
    assert.equal((await request("/countersign", { ...delivery("license.revoked"), body: "{}" })).status, 400);
  });

  test("the example for NestJS requires a license for every request except the health check", async () => {
    const started = await startCase({ real: {} });
    const request = await startWebService(join(here, "service.js"), started, {
      COUNTERSIGN_WEBHOOK_SECRET: secret,
    });
    assert.deepEqual((await request("/health")).body, { healthy: true });
    assert.equal((await request("/forecast")).status, 401);
    assert.deepEqual((await request("/forecast", withKey)).body, { days: 3, expires: null });
    assert.equal((await request("/countersign", delivery("license.revoked"))).status, 204);
    assert.equal((await request("/countersign", { ...delivery("license.revoked"), body: "{}" })).status, 400);
  });

  test("the example for NestJS links to the portal only for rejections that customers solve there", async () => {
    for (const [real, error, isLinked] of [
      [fullLicense, "ip_limit_reached", true],
      [revoked, "revoked", false],
    ]) {
      const started = await startCase({ real });
      const request = await startWebService(join(here, "service.js"), started);
      const { status, body } = await request("/forecast", withKey);
      assert.equal(status, 403);
      assert.deepEqual(body, {
        error,
        message: `The license was rejected: ${error}.`,
        request_id: "req-1",
        ...(isLinked ? { portal_url: `${started.url}/portal/open#${key}` } : {}),
      });
    }
  });
});
