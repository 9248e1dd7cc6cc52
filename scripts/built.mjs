import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { join, relative } from "node:path";
import { bunBinary, root } from "./toolchain.mjs";

/** What is built: its name, the folder whose `build.ts` writes `dist`, and its source folders. */
const parts = {
  web: {
    name: "dashboard",
    folder: "apps/web",
    sources: [
      "apps/web",
      "packages/contract",
      "packages/domain",
      "sdks/snippets",
      "docs/guides",
      "scripts/write-build.mjs",
      "scripts/notices.ts",
      "docs/.vitepress/scalar.ts",
      "package-lock.json",
    ],
  },
  server: {
    name: "server",
    folder: "apps/server",
    sources: [
      "apps/server",
      "packages",
      "package-lock.json",
      "scripts/notices.ts",
      "docs/.vitepress/scalar.ts",
    ],
  },
  docs: {
    name: "documentation",
    folder: "docs/.vitepress",
    sources: [
      "docs",
      "CONTRIBUTING.md",
      "ARCHITECTURE.md",
      "CHANGELOG.md",
      "apps/web/public",
      "scripts/write-build.mjs",
      "scripts/npm-package.mjs",
      "package-lock.json",
    ],
  },
};

/** Builds the dashboard, the server or the documentation unless its sources are unchanged since the last build. */
export function ensureBuilt(part) {
  const { name, program, mark, print } = stateOf(part);
  if (print === null) return;
  process.stderr.write(`Building the ${name} (once) …\n`);
  const { status, stdout, stderr } = spawnSync(bunBinary(), [program], { ...options, encoding: "utf8" });
  if (status !== 0) {
    process.stderr.write(failure(name, `${stdout ?? ""}${stderr ?? ""}`));
    process.exit(1);
  }
  writeFileSync(mark, print);
}

/** The same beside other work, which it leaves the processor to. Returns how to stop it. */
export function buildInBackground(part) {
  const { name, program, mark, print } = stateOf(part);
  if (print === null) return () => {};
  const child = spawn(bunBinary(), [program], options);
  try {
    setPriority(child.pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It is only slower for everybody else.
  }
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
  let isStopped = false;
  child.on("error", ({ message }) => process.stderr.write(failure(name, message)));
  child.on("exit", (code) => {
    if (code === 0) writeFileSync(mark, print);
    else if (!isStopped) process.stderr.write(failure(name, output));
  });
  return () => {
    isStopped = true;
    child.kill();
  };
}

const options = {
  cwd: root,
  stdio: ["ignore", "pipe", "pipe"],
  env: { ...process.env, NODE_ENV: "production" },
};

/** `print` is null if the build is up to date. */
function stateOf(part) {
  const { name, folder, sources } = parts[part];
  const mark = join(root, folder, "dist", ".built-from");
  const print = fingerprint(sources);
  const isBuilt = existsSync(mark) && readFileSync(mark, "utf8") === print;
  return { name, program: join(root, folder, "build.ts"), mark, print: isBuilt ? null : print };
}

function failure(name, output) {
  return `${output}\nThe ${name} could not be built.\n`;
}

/** Changes with the name or the content of any of these files and of those in these folders. */
export function fingerprint(sources) {
  const hash = createHash("sha256");
  for (const source of sources.flatMap((name) => filesIn(join(root, name)))) {
    hash.update(relative(root, source));
    hash.update("\0");
    hash.update(readFileSync(source));
    hash.update("\0");
  }
  return hash.digest("hex");
}

/** Folders that the sources do not contain: what is installed, built or written by tests. */
const generated = new Set(["node_modules", "dist", "target", "run", "reports", ".venv", "__pycache__"]);

function filesIn(path) {
  if (!existsSync(path)) return [];
  let entries;
  try {
    entries = readdirSync(path, { withFileTypes: true });
  } catch {
    return [path];
  }
  return entries
    .filter(({ name }) => !generated.has(name) && !name.includes(".test."))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => (entry.isDirectory() ? filesIn(join(path, entry.name)) : [join(path, entry.name)]));
}
