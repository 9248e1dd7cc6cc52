// The snippets that the dashboard and the READMEs show, and the examples: each is run against a real server.
// check.mjs copies them beside this file and compiles what is TypeScript.
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
const signs = { signing: "current", outcome: { product: { signed_validation: 1 } } };
const children = [];
const folders = [];
after(() => {
  for (const child of children) child.kill("SIGKILL");
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A server that answers so, and what a program has to know about it. */
async function arm(...answers) {
  const armed = await fetch(`${process.env.CONFORMANCE_URL}/cases`, {
    method: "POST",
    body: JSON.stringify({ now: "2026-06-01T12:00:00.000Z", answers }),
  });
  const { url, client = {} } = await armed.json();
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
    .replaceAll("https://licenses.example.com", url)
    .replaceAll("PRODUCT-ID", productId)
    // On this machine alone.
    .replace("?? 8080)", '?? 8080, "127.0.0.1")');
  const path = join(here, "snippets", `${crypto.randomUUID()}${file.slice(file.lastIndexOf("."))}`);
  writeFileSync(path, text);
  return path;
}

function output(command, words, env) {
  const { stdout, stderr, status } = spawnSync(command, words, { env, encoding: "utf8", timeout: 30_000 });
  return { status, said: stdout.trim(), complained: stderr };
}

function begin(path, env, words = []) {
  const child = spawn(process.execPath, [path, ...words], { env, stdio: ["ignore", "pipe", "pipe"] });
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
    said: (words) =>
      until(
        `it says ${words}`,
        () => text.includes(words),
        () => text,
      ),
  };
}

async function until(what, isSo, context = () => "") {
  const end = Date.now() + 20_000;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`Not in time: ${what}. ${context()}`);
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

/** A web service that was begun, when it answers. */
async function served(path, armed, extra = {}) {
  const port = await freePort();
  begin(path, { ...armed.environment, ...extra, PORT: String(port) });
  const ask = async (route, init = {}) => {
    const response = await fetch(`http://127.0.0.1:${port}${route}`, init);
    const text = await response.text();
    return { status: response.status, text, body: text.startsWith("{") ? JSON.parse(text) : null };
  };
  await until("it listens", () =>
    ask("/").then(
      () => true,
      () => false,
    ),
  );
  return ask;
}

const withKey = { headers: { "x-license-key": key, "content-type": "application/json" } };

describe("the snippet for", () => {
  test("Node.js", async () => {
    for (const [file, real, said] of [
      ["node.mjs", {}, "Licensed."],
      ["node.mjs", revoked, "Not licensed: revoked"],
      ["signed/node.mjs", signs, "Licensed."],
    ]) {
      const armed = await arm({ real });
      const ended = output(process.execPath, [filledIn(file, armed)], armed.environment);
      assert.deepEqual([ended.said, ended.status], [said, 0], ended.complained);
    }
    const armed = await arm({ real: { ...signs, signing: "wrong" } });
    const ended = output(process.execPath, [filledIn("signed/node.mjs", armed)], armed.environment);
    assert.equal(ended.status, 1);
    assert.match(ended.complained, /SignatureError/);
  });

  test("curl", async () => {
    const plain = await arm({ real: revoked });
    const answer = JSON.parse(output("sh", [filledIn("curl.sh", plain)], plain.environment).said);
    assert.deepEqual([answer.valid, answer.status], [false, "revoked"]);
    for (const [signing, said] of [
      ["current", "signed by Countersign"],
      ["wrong", "NOT signed by Countersign"],
    ]) {
      const signed = await arm({ real: { ...signs, signing } });
      const lines = output("bash", [filledIn("signed/curl.sh", signed)], signed.environment).said.split("\n");
      assert.equal(JSON.parse(lines[0]).status, "active");
      assert.equal(lines[1], said);
    }
  });

  for (const [name, file] of [
    ["Express", "express.mjs"],
    ["NestJS", "nestjs.js"],
  ])
    test(name, async () => {
      for (const [path, real, status] of [
        [file, {}, 200],
        [file, revoked, 403],
        [`signed/${file}`, signs, 200],
        [`signed/${file}`, { ...signs, signing: "wrong" }, 503],
      ]) {
        const armed = await arm({ real });
        const ask = await served(filledIn(path, armed), armed);
        const answer = await ask("/reports", withKey);
        assert.equal(answer.status, status);
        if (status === 200) assert.equal(answer.text, "Licensed.");
        assert.equal((await ask("/reports")).status, 401);
      }
    });

  for (const [folder, file] of [
    ["node", "node.mjs"],
    ["express", "express.mjs"],
    ["nestjs", "nestjs.ts"],
  ])
    test(`${folder} is the one in its README`, () => {
      const snippet = readFileSync(join(sdks, "snippets", file), "utf8");
      assert.ok(readFileSync(join(sdks, folder, "README.md"), "utf8").includes(snippet));
    });
});

test("no README of a package has a link that is broken where the package is published", () => {
  for (const folder of ["node", "express", "nestjs", "python", "java"]) {
    const text = readFileSync(join(sdks, folder, "README.md"), "utf8");
    const links = [...text.matchAll(/\]\(([^)]*)\)/g)].map(([, link]) => link);
    assert.deepEqual(
      links.filter((link) => !/^(https:|#)/.test(link)),
      [],
      folder,
    );
  }
});

describe("the example for", () => {
  const home = () => {
    const folder = mkdtempSync(join(tmpdir(), "countersign-example-"));
    folders.push(folder);
    return folder;
  };
  const agent = join(here, "backup-agent.mjs");

  test("Node.js works, notices that its license is revoked, and goes on without a network", async () => {
    const folder = home();
    const settings = { BACKUP_AGENT_HOME: folder, CHECK_EVERY_SECONDS: "1" };
    const armed = await arm({ real: {} });
    const first = begin(agent, { ...armed.environment, ...settings }, [key]);
    await first.said("Licensed. Backups begin.");
    first.child.kill("SIGTERM");
    assert.equal(await first.ended, 0);

    // The key is known by now, and the server is away.
    const away = { ...armed.environment, ...settings, COUNTERSIGN_URL: "http://127.0.0.1:9" };
    const offline = begin(agent, away);
    await offline.said("Working without a network.");
    offline.child.kill("SIGTERM");
    await offline.ended;

    const scripted = await arm({ validate: {} }, { validate: { valid: false, status: "revoked" } });
    const watched = begin(agent, { ...scripted.environment, ...settings });
    await watched.said("This license was revoked. Write to support@example.com. Backups are paused.");
    watched.child.kill("SIGTERM");
    await watched.ended;
  });

  test("Node.js says why it does not begin", async () => {
    const refused = await arm({ real: revoked });
    const ended = output(process.execPath, [agent, key], {
      ...refused.environment,
      BACKUP_AGENT_HOME: home(),
    });
    assert.deepEqual(
      [ended.status, ended.complained.trim()],
      [1, "This license was revoked. Write to support@example.com."],
    );
    const away = { ...refused.environment, BACKUP_AGENT_HOME: home(), COUNTERSIGN_URL: "http://127.0.0.1:9" };
    const unchecked = output(process.execPath, [agent, key], away);
    assert.equal(unchecked.status, 1);
    assert.match(unchecked.complained, /could not be checked/);
    assert.equal(output(process.execPath, [agent], away).status, 2);
  });

  const secret = `whsec_${Buffer.alloc(24, 3).toString("base64")}`;
  const delivery = (type) =>
    signedDelivery(secret, JSON.stringify({ type, timestamp: new Date().toISOString(), data: {} }));

  test("Express sells reports, and locks out who was revoked when it hears of it", async () => {
    const armed = await arm(
      { validate: { custom: { plan: "pro" } } },
      { validate: { valid: false, status: "expired" } },
    );
    const ask = await served(join(here, "shop.mjs"), armed, { COUNTERSIGN_WEBHOOK_SECRET: secret });
    assert.deepEqual((await ask("/prices")).body, { prices: { report: 12 } });
    assert.deepEqual((await ask("/prices", withKey)).body, { prices: { report: 0 } });
    const order = { method: "POST", ...withKey, body: JSON.stringify({ title: "May" }) };
    assert.deepEqual((await ask("/reports", order)).body, { report: "May", plan: "pro" });
    assert.equal((await ask("/countersign", delivery("license.expired"))).status, 204);
    const refused = await ask("/reports", order);
    assert.deepEqual(
      [refused.status, refused.body.message],
      [403, "Your license has expired. Renew it to get reports again."],
    );
    assert.equal((await ask("/countersign", { ...delivery("license.revoked"), body: "{}" })).status, 400);
  });

  test("NestJS asks everybody for a license but who asks whether it is alive", async () => {
    const armed = await arm({ real: {} });
    const ask = await served(join(here, "service.js"), armed, { COUNTERSIGN_WEBHOOK_SECRET: secret });
    assert.deepEqual((await ask("/health")).body, { alive: true });
    assert.equal((await ask("/forecast")).status, 401);
    assert.deepEqual((await ask("/forecast", withKey)).body, { days: 3, expires: null });
    assert.equal((await ask("/countersign", delivery("license.revoked"))).status, 204);
    assert.equal((await ask("/countersign", { ...delivery("license.revoked"), body: "{}" })).status, 400);
  });
});
