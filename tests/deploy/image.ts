/**
 * Runs for `npm run test:image`: builds the image of the Dockerfile with Buildah, and runs it with Podman. It uses no
 * registry, so the base images are made of Debian's packages. It needs root on Debian, and a few minutes.
 */
import { expect } from "bun:test";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../support/free-port.ts";
import { until } from "../support/until.ts";
import { Missing, run, runChecks } from "./checks.ts";

const root = join(import.meta.dir, "../..");
const folder = mkdtempSync(join(tmpdir(), "countersign-image-"));
const storage = [
  "--root",
  join(folder, "storage"),
  "--runroot",
  join(folder, "run"),
  "--storage-driver",
  "vfs",
];
const image = "countersign:test";
const url = `http://127.0.0.1:${await freePort()}`;
/** As in the Compose files, and without the file systems that Podman adds to a read-only one. */
const restricted = [
  "--read-only",
  "--read-only-tmpfs=false",
  "--cap-drop=all",
  "--security-opt=no-new-privileges",
];
/** This machine may have neither control groups nor the right to raise a limit. */
const possible = ["--cgroups=disabled", "--ulimit=nofile=4096:4096", "--ulimit=nproc=4096:4096"];
const started = ["run", "--detach", "--name=countersign", ...possible, ...restricted];

/**
 * What the commands of Podman run in. A container's network is a mount that the next command has to find. And where
 * control groups are of both versions, the runtime refuses to start, so they are hidden: it needs none here.
 */
let mounts: ChildProcess | null = null;

async function openMounts(): Promise<ChildProcess> {
  const script = "mount -t tmpfs none /sys/fs/cgroup && echo mounted && exec sleep infinity";
  const holder = spawn("unshare", ["--mount", "sh", "-c", script], { stdio: ["ignore", "pipe", "inherit"] });
  const [ready] = await once(holder.stdout, "data");
  expect(String(ready)).toBe("mounted\n");
  return holder;
}

function closeMounts(): void {
  if (mounts === null) return;
  // A check that failed can have left it running.
  podman("rm", "--force", "--ignore", "--time=20", "countersign");
  mounts.kill();
}

function podman(...words: readonly string[]): string {
  const entered = ["--target", String(mounts?.pid), "--mount", "podman"];
  return run("nsenter", [...entered, ...storage, "--cgroup-manager=cgroupfs", ...words]);
}

/** Imports a folder as if it had been pulled. */
function importImage(name: string, path: string, ...changes: readonly string[]): void {
  const archive = join(folder, "image.tar");
  run("tar", ["-C", path, "-cf", archive, "."]);
  podman("import", "--quiet", ...changes.flatMap((change) => ["--change", change]), archive, name);
  rmSync(archive);
}

/** What distroless has: libraries, certificates, time zones, users. No program, so also no shell. */
function importServerBase(): void {
  const packages = "base-files netbase tzdata libc6 libgcc-s1 libstdc++6 libgomp1 libssl3".split(" ");
  const [debs, base] = [join(folder, "debs"), join(folder, "base")];
  for (const path of [debs, join(base, "etc/ssl/certs")]) mkdirSync(path, { recursive: true });
  run("apt-get", ["-o", "APT::Sandbox::User=root", "download", ...packages], { cwd: debs });
  run("sh", ["-c", 'for deb in *.deb; do dpkg-deb -x "$deb" "$0"; done', base], { cwd: debs });
  cpSync("/etc/ssl/certs/ca-certificates.crt", join(base, "etc/ssl/certs/ca-certificates.crt"));
  writeFileSync(join(base, "etc/passwd"), "root:x:0:0::/root:/nologin\nnonroot:x:65532:65532::/:/nologin\n");
  writeFileSync(join(base, "etc/group"), "root:x:0:\nnonroot:x:65532:\n");
  expect(existsSync(join(base, "bin/sh"))).toBe(false);
  importImage("gcr.io/distroless/cc-debian12:nonroot", base, "USER 65532");
}

/** Debian with this machine's Node.js and npm. */
function importBuildBase(): void {
  const base = join(folder, "node");
  const node = run("node", ["-p", "process.execPath"]).trim();
  const npm = join(
    run("npm", ["root", "--global", "--silent"], { env: { ...process.env, NODE_OPTIONS: "" } }).trim(),
    "npm",
  );
  run("mmdebstrap", [
    "--quiet",
    "--variant=minbase",
    "--include=ca-certificates,libstdc++6,libatomic1",
    "bookworm",
    base,
  ]);
  cpSync(node, join(base, "usr/bin/node"));
  cpSync(npm, join(base, "usr/lib/node_modules/npm"), { recursive: true });
  run("ln", ["-sf", "../lib/node_modules/npm/bin/npm-cli.js", join(base, "usr/bin/npm")]);
  cpSync("/etc/ssl/certs/ca-certificates.crt", join(base, "etc/ssl/certs/ca-certificates.crt"));
  const certificates = "ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt";
  importImage("docker.io/library/node:24-bookworm-slim", base, certificates);
}

async function ready(): Promise<void> {
  await until("the container answers", async () => {
    const answer = await fetch(`${url}/readyz`).catch(() => null);
    return answer?.status === 200;
  });
}

function command(...words: readonly string[]): string {
  return podman("exec", "countersign", "/usr/local/bin/countersign", ...words);
}

let apiKey = "";
let licenseKey = "";
async function validate(): Promise<unknown> {
  const answer = await fetch(`${url}/api/v1/validate`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ license_key: licenseKey }),
  });
  return answer.json();
}

const code = await runChecks({
  "the Dockerfile is built from a clone": async () => {
    for (const program of ["buildah", "podman", "mmdebstrap", "crun"])
      if (spawnSync(program, ["--version"]).error !== undefined)
        throw new Missing("it needs Debian with: apt-get install buildah podman mmdebstrap crun uidmap.");
    if (process.getuid?.() !== 0) throw new Missing("it needs root.");
    mounts = await openMounts();
    importServerBase();
    importBuildBase();
    const clone = join(folder, "clone");
    run("git", ["clone", "--quiet", "--depth=1", `file://${root}`, clone]);
    const words = [
      "--isolation=chroot",
      "--format=docker",
      "--network=host",
      "--pull-never",
      "--target=server",
    ];
    run("buildah", [...storage, "bud", ...words, `--tag=${image}`, clone]);
  },
  "the image says what it is, and runs as nobody in particular": () => {
    const [{ Config: config, HealthCheck, Healthcheck = HealthCheck }] = JSON.parse(
      podman("inspect", "--type=image", image),
    );
    expect(config).toMatchObject({
      User: "65532:65532",
      WorkingDir: "/data",
      Volumes: { "/data": {} },
      ExposedPorts: { "3000/tcp": {} },
      StopSignal: "SIGTERM",
      Entrypoint: ["/usr/local/bin/countersign"],
    });
    expect(Healthcheck.Test).toEqual(["CMD", "/usr/local/bin/countersign", "health"]);
    expect(config.Labels["org.opencontainers.image.title"]).toBe("Countersign");
  },
  "it starts with no variable, on a read-only root file system, and prints a link that works here":
    async () => {
      podman(...started, `--publish=${new URL(url).host}:3000`, "--volume=countersign:/data", image);
      await ready();
      // Podman writes down later what the server has printed.
      await until("the link is printed", () => podman("logs", "countersign").includes("/setup?token="));
      const log = podman("logs", "countersign");
      expect(log).toContain("Create the first one within 30 minutes at http://localhost:3000/setup?token=");
      expect(log).not.toContain('"level":"error"');
      expect(command("health")).toBe("ready\n");
      expect((await fetch(`${url}/docs/`)).status).toBe(200);
    },
  "it validates, and its volume is private": async () => {
    const account = ["--email", "you@example.com", "--password", "a long password"];
    const setup = JSON.parse(
      command("setup", ...account, "--organization", "Acme", "--product", "Editor", "--json"),
    );
    apiKey = setup.api_key;
    const created = await fetch(`${url}/api/manage/v1/products/${setup.product_id}/licenses`, {
      method: "POST",
      headers: { authorization: `Bearer ${setup.access_token}`, "content-type": "application/json" },
      body: JSON.stringify({ customer_email: "ada@example.com", is_lifetime: true }),
    });
    licenseKey = ((await created.json()) as { license_key: string }).license_key;
    expect(await validate()).toMatchObject({ valid: true, status: "active" });
    const doctor = command("doctor");
    expect(doctor).not.toContain("chmod 700");
    expect(doctor).toContain("No problems");
    expect(command("backup", "/data/backups/monday")).toContain("complete and verified");
  },
  "SIGTERM ends it cleanly, and another container continues with its data": async () => {
    podman("stop", "--time=20", "countersign");
    expect(podman("inspect", "countersign", "--format={{.State.ExitCode}}").trim()).toBe("0");
    expect(podman("logs", "countersign")).toContain("Stopped.");
    podman("rm", "countersign");
    podman(...started, `--publish=${new URL(url).host}:3000`, "--volume=countersign:/data", image);
    await ready();
    expect(await validate()).toMatchObject({ valid: true, status: "active" });
    podman("rm", "--force", "--time=20", "countersign");
  },
  "a folder of another user is refused with a sentence": () => {
    const data = join(folder, "data");
    mkdirSync(data);
    const words = ["run", "--rm", ...possible, ...restricted, `--volume=${data}:/data`, image];
    expect(() => podman(...words)).toThrow("Make it writable for the user with ID 65532");
  },
});
closeMounts();
rmSync(folder, { recursive: true, force: true });
process.exit(code);
