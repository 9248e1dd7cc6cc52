import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { BunPlugin } from "bun";
import { root, serverBuild } from "./build-options.ts";

const parts = ["apps/web/dist", "docs/.vitepress/dist"];

/** The files of the built dashboard and documentation, which the executable reads as if they were in a folder. */
const builtFiles: BunPlugin = {
  name: "built-files",
  setup(build) {
    const name = "countersign:built-files";
    build.onResolve({ filter: new RegExp(`^${name}$`) }, () => ({ path: name, namespace: "files" }));
    build.onLoad({ filter: /.*/, namespace: "files" }, () => ({
      contents: parts.map((part) => importsOf(join(root, part))).join("\n"),
      loader: "js",
    }));
  },
};

function importsOf(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
    .map((entry) => JSON.stringify(join(entry.parentPath, entry.name)))
    .map((path) => `import ${path} with { type: "file" };`)
    .join("\n");
}

/** Called by `scripts/build-executable.mjs`: the target, the runtime's program for it, and where the executable goes. */
const [target = "", runtime = "", output = ""] = process.argv.slice(2);
const { outputs } = await Bun.build({
  ...serverBuild("executable", "apps/server/executable.ts"),
  plugins: [...serverBuild("executable", "").plugins, builtFiles],
  compile: {
    target: target as Bun.Build.CompileTarget,
    executablePath: runtime,
    outfile: output,
    // Nothing in the folder it is started in changes what it does.
    autoloadDotenv: false,
    autoloadBunfig: false,
    autoloadTsconfig: false,
    autoloadPackageJson: false,
  },
});
// The executable contains its source maps, so the files beside it are not needed.
for (const { path } of outputs) if (path.endsWith(".map")) rmSync(path, { force: true });
