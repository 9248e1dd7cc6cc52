import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { bunBinary, root } from "./toolchain.mjs";

/** What is built, by the folder in `apps` whose `build.ts` writes `dist`: its name, and its source folders. */
const parts = {
  web: {
    name: "dashboard",
    sources: [
      "apps/web",
      "packages/contract",
      "packages/domain",
      "sdks/snippets",
      "docs/guides",
      "package-lock.json",
      "scripts/notices.ts",
    ],
  },
  server: { name: "server", sources: ["apps/server", "packages", "package-lock.json", "scripts/notices.ts"] },
};

/** Builds the dashboard or the server unless its sources are unchanged since the last build. */
export function ensureBuilt(part) {
  const { name, sources } = parts[part];
  const mark = join(root, "apps", part, "dist", ".built-from");
  const print = fingerprint(sources);
  if (existsSync(mark) && readFileSync(mark, "utf8") === print) return;
  process.stderr.write(`Building the ${name} (once) …\n`);
  const result = spawnSync(bunBinary(), [join(root, "apps", part, "build.ts")], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
    env: { ...process.env, NODE_ENV: "production" },
  });
  if (result.status !== 0) {
    process.stderr.write(`${result.stdout ?? ""}${result.stderr ?? ""}\nThe ${name} could not be built.\n`);
    process.exit(1);
  }
  writeFileSync(mark, print);
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
