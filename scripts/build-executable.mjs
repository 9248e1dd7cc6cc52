import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { ensureBuilt } from "./built.mjs";
import { bunBinary, ensureInstalled, root } from "./toolchain.mjs";

/**
 * What each executable runs on, and the npm package with the runtime for it. Processors from before 2013 need
 * `baseline`, and distributions such as Alpine need `musl`.
 */
export const executables = {
  "linux-x64": { runtime: "bun-linux-x64", target: "bun-linux-x64" },
  "linux-x64-baseline": {
    runtime: "bun-linux-x64-baseline",
    target: "bun-linux-x64-baseline",
    // The only one that package-lock.json lacks.
    integrity:
      "sha512-FBU6T21NT+i+rESbi0Z8A8G5xN51c+WZ0v6pIjI6szSzOlqVNv64nf7FPnwNIyxKD1M7Wg5cEobLC/QbzCeLtA==",
  },
  "linux-x64-musl": { runtime: "bun-linux-x64-musl", target: "bun-linux-x64-musl" },
  "linux-arm64": { runtime: "bun-linux-aarch64", target: "bun-linux-arm64" },
  "linux-arm64-musl": { runtime: "bun-linux-aarch64-musl", target: "bun-linux-arm64-musl" },
  "macos-arm64": { runtime: "bun-darwin-aarch64", target: "bun-darwin-arm64" },
  "macos-x64": { runtime: "bun-darwin-x64", target: "bun-darwin-x64" },
  "windows-x64": { runtime: "bun-windows-x64", target: "bun-windows-x64" },
};

/** The name of the one that this machine runs. */
export function nameForThisMachine() {
  const { platform, arch } = process;
  if (platform === "win32") return `windows-${arch}`;
  if (platform === "darwin") return `macos-${arch}`;
  const hasGlibc = process.report.getReport().header.glibcVersionRuntime !== undefined;
  return `linux-${arch}${hasGlibc ? "" : "-musl"}`;
}

const output = join(root, "dist");
const runtimes = join(root, "node_modules/.runtimes");

/** Builds these executables into `dist`, with a file of their checksums. */
export function buildExecutables(names) {
  ensureInstalled();
  ensureBuilt("web");
  mkdirSync(output, { recursive: true });
  return names.map((name) => {
    const { target } = executables[name];
    const path = join(output, `countersign-${name}${name.startsWith("windows") ? ".exe" : ""}`);
    process.stderr.write(`Building ${basename(path)} …\n`);
    run(bunBinary(), [
      join(root, "apps/server/build-executable.ts"),
      target,
      runtimeFor(executables[name]),
      path,
    ]);
    return path;
  });
}

/** The program of a runtime, from npm, in the version that everything is tested with. */
function runtimeFor({ runtime: name, integrity: ownIntegrity }) {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const { version } = packages["node_modules/bun"];
  const integrity = ownIntegrity ?? packages[`node_modules/@oven/${name}`].integrity;
  const folder = join(runtimes, `${name}-${version}`);
  const program = join(folder, name.includes("windows") ? "bun.exe" : "bun");
  if (existsSync(program)) return program;
  const half = join(runtimes, `${process.pid}`);
  rmSync(half, { recursive: true, force: true });
  mkdirSync(half, { recursive: true });
  try {
    // npm does not install a package for another platform, so its archive is unpacked here.
    const archive = run("npm", ["pack", `@oven/${name}@${version}`, "--pack-destination", half, "--silent"])
      .trim()
      .split("\n")
      .at(-1);
    const content = readFileSync(join(half, archive));
    const checksum = `sha512-${createHash("sha512").update(content).digest("base64")}`;
    if (checksum !== integrity)
      throw new Error(`@oven/${name} ${version} is not the package that package-lock.json names.`);
    run("tar", ["-xzf", join(half, archive), "-C", half]);
    mkdirSync(folder, { recursive: true });
    copyFileSync(join(half, "package/bin", basename(program)), program);
  } finally {
    rmSync(half, { recursive: true, force: true });
  }
  return program;
}

function run(command, words) {
  const { status, stdout, stderr, error } = spawnSync(command, words, {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, NODE_ENV: "production" },
    shell: command === "npm" && process.platform === "win32",
  });
  if (status !== 0) throw new Error(`${command} failed: ${error?.message ?? `${stdout}${stderr}`.trim()}`);
  return stdout;
}

/** Writes the notices of what is part of an executable beside it, and returns the path. */
export function writeNotices() {
  const path = join(output, "THIRD_PARTY_NOTICES.txt");
  writeFileSync(path, run(bunBinary(), [join(root, "scripts/notices.ts"), "--text"]));
  return path;
}

/** Writes the checksums beside these files, and returns them. */
export function writeChecksums(paths) {
  const checksums = checksumsOf(paths);
  writeFileSync(join(output, "SHA256SUMS"), checksums);
  return checksums;
}

function checksumsOf(paths) {
  const line = (path) =>
    `${createHash("sha256").update(readFileSync(path)).digest("hex")}  ${basename(path)}\n`;
  return paths.map(line).join("");
}

if (process.argv[1] === import.meta.filename) {
  const names = process.argv.slice(2).length > 0 ? process.argv.slice(2) : Object.keys(executables);
  const unknown = names.find((name) => !Object.hasOwn(executables, name));
  if (unknown !== undefined) {
    process.stderr.write(
      `There is no executable "${unknown}". There are: ${Object.keys(executables).join(", ")}.\n`,
    );
    process.exit(1);
  }
  process.stdout.write(writeChecksums([...buildExecutables(names), writeNotices()]));
}
