import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { ensureBuilt } from "./built.mjs";
import { fileOfPackage, run } from "./npm-package.mjs";
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

/** Builds these executables into `dist`, with a file of their checksums. */
export function buildExecutables(names) {
  ensureInstalled();
  ensureBuilt("web");
  ensureBuilt("docs");
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
  return fileOfPackage({
    name: `@oven/${name}`,
    version,
    integrity: ownIntegrity ?? packages[`node_modules/@oven/${name}`].integrity,
    file: name.includes("windows") ? "bin/bun.exe" : "bin/bun",
  });
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
