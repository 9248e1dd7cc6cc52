import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildDocs } from "../support/docs.ts";
import { freePort } from "../support/free-port.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(120_000);

const root = join(import.meta.dir, "../..");
const folder = mkdtempSync(join(tmpdir(), "countersign-"));
const executable = join(folder, "countersign");
/** Empty, but for what must have no effect. */
const home = join(folder, "an empty folder");
/** An ordinary user, if the tests run as root. */
const ordinary = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const { platform, arch } = process;
const target = `bun-${platform === "win32" ? "windows" : platform}-${arch}`;

let port: string;
let server: ChildProcess;
let output = "";
let token = "";

/** Runs a command of the executable to its end. */
function run(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(executable, args, {
    cwd: home,
    env: { PORT: port },
    encoding: "utf8",
    timeout: 60_000,
    ...ordinary,
  });
  return { status, stdout, stderr };
}

async function start(): Promise<void> {
  server = spawn(executable, [], { cwd: home, env: { PORT: port }, ...ordinary });
  output = "";
  for (const stream of [server.stdout, server.stderr])
    stream?.on("data", (part: Buffer) => {
      output += part.toString();
    });
  await until("the executable is ready", () => output.includes("is ready at") || server.exitCode !== null);
  expect(server.exitCode).toBeNull();
}

/** A page, what its search loads in a browser, an image, and what programs read. */
async function expectDocs(url: string): Promise<void> {
  const get = async (path: string, type: string) => {
    const answer = await fetch(`${url}/docs/${path}`, { headers: { accept: "*/*" } });
    expect([path, answer.status, answer.headers.get("content-type")]).toEqual([path, 200, type]);
    return answer.text();
  };
  let text = await get("operating/backups", "text/html; charset=utf-8");
  expect(text).toMatch(/<h1[^>]*>Backups/);
  for (const name of ["theme", "VPLocalSearchBox", "@localSearchIndexroot"]) {
    const [file = ""] = new RegExp(`${name}\\.[\\w-]+\\.js`).exec(text) ?? [];
    text = await get(`assets/chunks/${file}`, "text/javascript; charset=utf-8");
  }
  expect(text).toContain('"/docs/operating/backups#');
  expect((await get("screenshots/overview-light.webp", "image/webp")).length).toBeGreaterThan(10_000);
  expect(await get("llms.txt", "text/plain; charset=utf-8")).toContain("(/docs/operating/backups.md)");
  expect(await get("operating/backups.md", "text/markdown; charset=utf-8")).toStartWith("# Backups\n");
}

async function stop(): Promise<void> {
  const ended = new Promise<number | null>((resolve) => server.once("exit", resolve));
  server.kill("SIGTERM");
  expect(await ended).toBe(0);
  expect(output).toContain("Stopped.");
}

beforeAll(async () => {
  buildDocs();
  const built = spawnSync(
    process.execPath,
    [join(root, "apps/server/build-executable.ts"), target, process.execPath, executable],
    { cwd: root, encoding: "utf8" },
  );
  expect(built).toMatchObject({ status: 0, stderr: "" });
  chmodSync(folder, 0o755);
  mkdirSync(home);
  if (ordinary.uid !== undefined) chownSync(home, ordinary.uid, ordinary.gid);
  writeFileSync(join(home, ".env"), "PORT=1\n");
  writeFileSync(join(home, "bunfig.toml"), 'preload = ["./missing.ts"]\n');
  writeFileSync(join(home, "package.json"), "not JSON");
  port = String(await freePort());
});
afterAll(() => {
  server?.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

test("the executable needs nothing else: it serves, answers validations, backs up and restores", async () => {
  expect(readdirSync(folder).sort()).toEqual(["an empty folder", "countersign"]);
  expect(run("--version").stdout).toMatch(/^countersign \d/);
  const { stdout: notices } = run("notices");
  for (const part of ["JavaScriptCore", "\nzod ", "\nreact "]) expect(notices).toContain(part);
  await start();
  expect(output).toContain(JSON.stringify(join(home, "data")));
  expect(run("health")).toEqual({ status: 0, stdout: "ready\n", stderr: "" });

  const url = `http://127.0.0.1:${port}`;
  const page = await fetch(url, { headers: { accept: "text/html" } });
  const [, script = ""] = /src="(\/assets\/[^"]+\.js)"/.exec(await page.text()) ?? [];
  const asset = await fetch(url + script);
  expect(asset.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  expect((await asset.text()).length).toBeGreaterThan(10_000);

  await expectDocs(url);

  // A browser gets parts of others' software, too.
  expect(await (await fetch(`${url}/notices.txt`)).text()).toBe(notices);

  const account = ["--email", "you@example.com", "--password", "a long password"];
  const setup = run("setup", ...account, "--organization", "Acme", "--product", "Editor", "--json");
  expect(setup).toMatchObject({ status: 0, stderr: "" });
  const { api_key: apiKey, product_id: productId } = JSON.parse(setup.stdout);
  token = JSON.parse(setup.stdout).access_token;
  const created = await fetch(`${url}/api/manage/v1/products/${productId}/licenses`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ customer_email: "ada@example.com", is_lifetime: true }),
  });
  const { license_key: licenseKey } = (await created.json()) as { license_key: string };
  const validate = async () => {
    const answer = await fetch(`${url}/api/v1/validate`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ license_key: licenseKey }),
    });
    return answer.json();
  };
  expect(await validate()).toMatchObject({ valid: true, status: "active" });
  // The request log is written by a thread of its own.
  await until("the request is in the log", async () => {
    const path = `/api/manage/v1/organizations/${JSON.parse(setup.stdout).organization_id}/requests`;
    const answer = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
    return ((await answer.json()) as { data: unknown[] }).data.length === 1;
  });

  const stdout = expect.stringContaining(`countersign restore '${join(home, "a backup")}' --force\n`);
  expect(run("backup", "a backup")).toEqual({ status: 0, stderr: "", stdout });
  await stop();
  rmSync(join(home, "data"), { recursive: true });
  expect(run("restore", "a backup", "--force")).toMatchObject({ status: 0, stderr: "" });
  await start();
  expect(await validate()).toMatchObject({ valid: true, status: "active" });
  await stop();
});

test("an unexpected error names the file and the line of the source in the executable's log", async () => {
  await start();
  // What no release leads to: a table that has disappeared.
  const database = new Database(join(home, "data/countersign.db"));
  database.run("pragma foreign_keys = off; drop table organizations");
  database.close();
  const answer = await fetch(`http://127.0.0.1:${port}/api/manage/v1/organizations`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(answer.status).toBe(500);
  const [, path = "", line = ""] = /\((packages\/store\/sqlite\/\w+\.ts):(\d+):\d+\)/.exec(output) ?? [];
  const source = readFileSync(join(root, path), "utf8").split("\n");
  expect(source[Number(line) - 1]).toContain(".prepare(");
  await stop();
});

// `npm run test:executable` runs all of them, and the dashboard in a browser.
test("tests of the public API pass with the executable as the server", () => {
  const files = ["authentication", "signature", "wire"].map((name) => `./tests/http/${name}.test.ts`);
  const { status, stderr } = spawnSync(process.execPath, ["test", "--timeout=60000", ...files], {
    cwd: root,
    env: { ...process.env, COUNTERSIGN_TEST_SERVER: executable },
    encoding: "utf8",
  });
  const [, passed = "0"] = /^ *(\d+) pass$/m.exec(stderr) ?? [];
  expect(status, stderr).toBe(0);
  expect(Number(passed)).toBeGreaterThan(80);
});

test("the executable checks the database in a process of its own", () => {
  expect(JSON.parse(run("integrity-process", "data", "", "60000").stdout)).toMatchObject({ isLast: true });
});
