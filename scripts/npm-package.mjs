import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { root } from "./toolchain.mjs";

/**
 * One file of an npm package that is not installed, because it is for another platform or has many dependencies that the
 * file does not need. It is fetched once, checked against `integrity`, and kept in `node_modules`.
 */
export function fileOfPackage({ name, version, integrity, file }) {
  const kept = join(root, "node_modules/.packages", `${name.replaceAll("/", "+")}-${version}`);
  const path = join(kept, basename(file));
  if (existsSync(path)) return path;
  const half = join(root, "node_modules/.packages", `${process.pid}`);
  rmSync(half, { recursive: true, force: true });
  mkdirSync(half, { recursive: true });
  try {
    const archive = run("npm", ["pack", `${name}@${version}`, "--pack-destination", half, "--silent"])
      .trim()
      .split("\n")
      .at(-1);
    const checksum = `sha512-${createHash("sha512")
      .update(readFileSync(join(half, archive)))
      .digest("base64")}`;
    if (checksum !== integrity)
      throw new Error(
        `${name} ${version} is not the package that was expected: its checksum is ${checksum}.`,
      );
    run("tar", ["-xzf", join(half, archive), "-C", half, join("package", file).replaceAll("\\", "/")]);
    mkdirSync(kept, { recursive: true });
    copyFileSync(join(half, "package", file), path);
  } finally {
    rmSync(half, { recursive: true, force: true });
  }
  return path;
}

export function run(command, words) {
  const { status, stdout, stderr, error } = spawnSync(command, words, {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, NODE_ENV: "production" },
    shell: command === "npm" && process.platform === "win32",
  });
  if (status !== 0) throw new Error(`${command} failed: ${error?.message ?? `${stdout}${stderr}`.trim()}`);
  return stdout;
}
