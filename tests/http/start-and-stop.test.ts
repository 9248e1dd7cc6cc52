import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ownIp } from "../../apps/server/base/own-ip.ts";
import { long } from "../races/size.ts";
import { freshFolder, sqlite } from "../support/databases.ts";
import { freePort } from "../support/free-port.ts";
import { openPublicApiFixture } from "../support/public-api-fixture.ts";
import * as processes from "../support/server-process.ts";
import { until, within } from "../support/until.ts";

setDefaultTimeout(120_000);

const folder = freshFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));
/** For the data of one server. */
const newFolder = () => join(folder, randomUUID());
const aFile = join(folder, "file");
writeFileSync(aFile, "a file\n");
const damaged = newFolder();
mkdirSync(damaged);
writeFileSync(join(damaged, "countersign.db"), "no database ".repeat(1_000));

const serve = (environment: Readonly<Record<string, string>> = {}, ...words: readonly string[]) => {
  const settings = { PORT: "0", COUNTERSIGN_LOG_FORMAT: "json", COUNTERSIGN_DATA: newFolder() };
  return processes.spawnCountersign(["serve", ...words], { ...settings, ...environment });
};

async function expectCleanExit({ output, ended }: processes.Spawned, withinMs = 30_000): Promise<void> {
  const end = await within(withinMs, `the server ends:\n${output()}`, ended);
  expect(end).toMatchObject({ code: 0, signal: null });
}

describe("SIGTERM", () => {
  test("a server exits cleanly on SIGTERM during its start and, every time, as soon as it reports ready", async () => {
    const environment = { COUNTERSIGN_DATA: newFolder() };
    const early = serve(environment);
    await until("it has started", () => existsSync(join(environment.COUNTERSIGN_DATA, "owner.lock")));
    early.child.kill("SIGTERM");
    await expectCleanExit(early);
    for (let round = 0; round < (long ? 10 : 2); round++) {
      const server = serve(environment);
      server.child.stdout?.on("data", () => {
        if (server.output().includes("is ready at")) server.child.kill("SIGTERM");
      });
      await expectCleanExit(server);
      expect(server.output()).toContain('"Stopped."');
    }
  });

  test("behind a load balancer, a server keeps serving after SIGTERM while it says that it is not ready", async () => {
    const server = serve({ COUNTERSIGN_DRAIN_SECONDS: "3" });
    await until("it is ready", () => server.output().includes("is ready at"));
    const [, url] = / is ready at (http:[^"]+)/.exec(server.output()) ?? [];
    const statusOf = async (path: string) => (await fetch(`${url}${path}`, { keepalive: false })).status;
    expect(await statusOf("/readyz")).toBe(200);
    const signalledMs = performance.now();
    server.child.kill("SIGTERM");
    await until("it is not ready", async () => (await statusOf("/readyz")) === 503);
    const served: number[] = [];
    while (performance.now() - signalledMs < 2_000) served.push(await statusOf("/healthz"));
    expect(new Set(served)).toEqual(new Set([200]));
    await expectCleanExit(server);
    expect(performance.now() - signalledMs).toBeGreaterThan(3_000);
  });

  test("a server whose output was closed continues to serve, and exits cleanly on SIGTERM", async () => {
    const server = serve();
    await until("it is ready", () => server.output().includes("is ready at"));
    server.child.stdout?.destroy();
    const [, url] = / is ready at (http:[^"]+)/.exec(server.output()) ?? [];
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    server.child.kill("SIGTERM");
    await expectCleanExit(server);
    expect((await server.ended).stderr).toBe("");
  });

  test("a server that waits for an unresponsive database exits soon and cleanly on SIGTERM", async () => {
    const connected = Promise.withResolvers<void>();
    const silent = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: { open: () => connected.resolve(), data: () => {} },
    });
    const url = `postgres://user:password@127.0.0.1:${silent.port}/countersign`;
    const server = serve({ DATABASE_URL: url });
    await within(30_000, "it asks the database", connected.promise);
    server.child.kill("SIGTERM");
    await expectCleanExit(server, 10_000);
    silent.stop(true);
  });
});

test("a server that other machines can reach prints a link that works there, and says which setting decides", async () => {
  const port = String(await freePort());
  const environment = { COUNTERSIGN_DATA: newFolder(), COUNTERSIGN_LOG_FORMAT: "pretty", PORT: port };
  const started = async (settings: Readonly<Record<string, string>>) => {
    const server = processes.spawnCountersign(["serve"], { ...environment, ...settings });
    await until("the link is printed", () => server.output().includes("/setup?token="));
    const [, url = ""] = /at (http:\S+)\/setup\?token=/.exec(server.output()) ?? [];
    const page = await fetch(`${url}/setup`, { headers: { accept: "text/html" } });
    expect([url, page.status]).toEqual([url, 200]);
    server.child.kill("SIGTERM");
    await expectCleanExit(server);
    return { url, output: server.output() };
  };
  const open = await started({ HOST: "0.0.0.0" });
  expect(open.url).toBe(`http://${ownIp() ?? "127.0.0.1"}:${port}`);
  expect(open.output).toContain(`Set COUNTERSIGN_URL`);
  const named = await started({ HOST: "0.0.0.0", COUNTERSIGN_URL: `http://localhost:${port}` });
  expect(named.url).toBe(`http://localhost:${port}`);
  for (const { output } of [named, await started({})]) expect(output).not.toContain("COUNTERSIGN_URL");
});

test("a server whose parent has exited stops cleanly", async () => {
  const parent = spawn("sleep", ["600"], { stdio: "ignore" });
  // Not its real parent, so the server finds it missing from the beginning.
  await expectCleanExit(serve({}, "--parent", String(parent.pid)));
  parent.kill("SIGKILL");
});

/** Each setting is tested in apps/server/base/config.test.ts, and each problem of a database in packages/store/databases/open.test.ts. */
describe("failed starts", () => {
  const refused = async (environment: Readonly<Record<string, string>>, ...words: readonly string[]) => {
    const { code, stdout, stderr } = await serve(environment, ...words).ended;
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^[^\n]+\n$/);
    expect(stderr).not.toMatch(/\bat .*\.[jt]s:\d+|hunter22/);
    return stderr;
  };

  test.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
    ["an invalid setting", { DATABASE_URL: "mysql://u:hunter22@h/d" }, ["DATABASE_URL", "postgres://"]],
    ["an IP address of another machine", { HOST: "198.51.100.7" }, ["HOST is 198.51.100.7", "0.0.0.0"]],
    ["a host name that does not exist", { HOST: "nowhere.invalid" }, ["HOST is nowhere.invalid"]],
    ["an IP address that is none", { HOST: "256.1.1.1" }, ['HOST is "256.1.1.1"']],
    ["a mistyped setting", { COUNTERSIGN_SIGNUP: "open" }, ["COUNTERSIGN_SIGN_UP?"]],
    ["a data folder that is a file", { COUNTERSIGN_DATA: aFile }, ["COUNTERSIGN_DATA", aFile]],
    ["a damaged database", { COUNTERSIGN_DATA: damaged }, ["countersign.db"]],
    ["a database that does not run", { DATABASE_URL: "postgres://u:hunter22@127.0.0.1:1/d" }, ["PostgreSQL"]],
  ])("a start with %s exits with code 1 and one line on what to change", async (_, environment, named) => {
    const printed = await refused(environment);
    for (const text of named) expect(printed).toContain(text);
  });

  test("a start with a parent that is not a process ID is refused", async () => {
    expect(await refused({}, "--parent", "me")).toBe('--parent is "me". It must be a process ID.\n');
  });

  test("a start with a data folder that another server uses is refused, and does not disturb that server", async () => {
    const fixture = await openPublicApiFixture(sqlite.make);
    expect(await refused(fixture.database.environment)).toContain("in use by another Countersign server");
    const { key } = await fixture.org.license();
    expect((await fixture.api.validate({ license_key: key })).body.status).toBe("active");
  });

  test("a start with a port that another server uses is refused, and that server can reuse the port at once", async () => {
    const environment = { COUNTERSIGN_DATA: newFolder() };
    const first = await processes.startServerProcess(environment);
    expect(await refused({ HOST: "0.0.0.0", PORT: String(first.port) })).toBe(
      `Port ${first.port} on 0.0.0.0 cannot be opened: another program is using it. Set PORT to another one, such as 8080.\n`,
    );
    for (let call = 0; call < 20; call++) await (await fetch(`${first.url}/healthz`)).text();
    await first.stop();
    // Connections of the previous one are still closing.
    const again = await processes.startServerProcess({ ...environment, PORT: String(first.port) });
    expect((await fetch(`${again.url}/healthz`)).status).toBe(200);
    await again.stop();
  });
});

describe("npm start", () => {
  const stopsAfter = async (act: (npm: ChildProcess) => void) => {
    const { child: npm, output } = processes.spawnCollecting("npm", ["start"], {
      cwd: join(import.meta.dir, "../.."),
      env: { ...process.env, PORT: "0", COUNTERSIGN_DATA: newFolder(), COUNTERSIGN_LOG_FORMAT: "json" },
      // A separate process group, so that no process outlives the test.
      detached: true,
    });
    try {
      await until("the server is ready", () => /"port":\d+/.test(output()), 60_000);
      const port = /"port":(\d+)/.exec(output())?.[1];
      expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
      act(npm);
      await until("the server has stopped", () => output().includes('"Stopped."'));
    } finally {
      try {
        process.kill(-(npm.pid ?? 0), "SIGKILL");
      } catch {
        // No process is left.
      }
    }
  };

  // The signal goes to npm alone. Its shell exits and forwards nothing.
  test.each(["SIGTERM", "SIGKILL"] as const)("npm start that gets %s drains and stops the server", (signal) =>
    stopsAfter((npm) => npm.kill(signal)),
  );

  // Processes are found through Linux's /proc.
  test.skipIf(process.platform !== "linux")("a killed script of npm start drains and stops the server", () =>
    stopsAfter((npm) => process.kill(scriptOf(npm.pid ?? 0), "SIGKILL")),
  );
});

/** The process in a group that runs the script of npm start. */
function scriptOf(group: number): number {
  const found = readdirSync("/proc").find((name) => {
    try {
      const status = readFileSync(`/proc/${name}/stat`, "utf8");
      const isOfGroup = Number(status.slice(status.lastIndexOf(")") + 2).split(" ")[2]) === group;
      const [, script] = readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0");
      return isOfGroup && script === "scripts/start.mjs";
    } catch {
      // It is no process, or one that has exited.
      return false;
    }
  });
  return Number(found);
}
