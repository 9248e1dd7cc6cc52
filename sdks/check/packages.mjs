import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bin, runNpm, runOrExit, sdks } from "./run.mjs";

export const packages = ["node", "express", "nestjs"];

/** Skips the installation if the lock file has not changed since the last one. */
export function install(folder) {
  const lock = readFileSync(join(folder, "package-lock.json"), "utf8");
  const installedLock = join(folder, "node_modules", ".installed-from");
  if (existsSync(installedLock) && readFileSync(installedLock, "utf8") === lock) return;
  runNpm("npm ci", ["ci", "--no-audit", "--no-fund"], { cwd: folder });
  writeFileSync(installedLock, lock);
}

/** The packages as they would be published, by name. */
export function pack() {
  const folder = join(sdks, "run", "packed");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  runNpm("npm pack", [
    "pack",
    ...packages.map((name) => `--workspace=${name}`),
    "--pack-destination",
    folder,
  ]);
  const files = readdirSync(folder);
  return Object.fromEntries(
    packages.map((name) => [name, join(folder, files.find((file) => file.includes(`-${name}-`)) ?? "")]),
  );
}

/** Checks the contents and the entries of a packed package, and that every way of importing it finds its types. */
export function checkPacked(name, file) {
  runOrExit(`publint for ${name}`, process.execPath, [bin("publint/src/cli.js"), "run", file, "--strict"]);
  runOrExit(`type check of ${name}`, process.execPath, [bin("@arethetypeswrong/cli/dist/index.js"), file]);
}

/** Installs a packed package into another folder. */
export function unpack(file, target) {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  runOrExit("tar", "tar", ["-xzf", file, "-C", target, "--strip-components=1"]);
}
