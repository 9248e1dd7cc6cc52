// Builds each JavaScript SDK twice: as ES modules and as CommonJS.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { generateEvents } from "./events/generate.mjs";

const sdks = dirname(fileURLToPath(import.meta.url));
const compiler = join(sdks, "node_modules", "typescript", "bin", "tsc");

/** In build order: the others import the first. */
const packages = ["node", "express", "nestjs"];

const formats = {
  esm: { flags: [], type: "module" },
  cjs: {
    flags: ["--module", "CommonJS", "--moduleResolution", "Bundler", "--verbatimModuleSyntax", "false"],
    type: "commonjs",
  },
};

generateEvents();
for (const name of packages) {
  const dist = join(sdks, name, "dist");
  rmSync(dist, { recursive: true, force: true });
  for (const [format, { flags, type }] of Object.entries(formats)) {
    const output = join(dist, format);
    compile(name, ["--rootDir", join(sdks, name, "src"), "--outDir", output, ...flags]);
    makeDeclarationsCompatible(output);
    // Overrides the type in the package's own package.json for this folder.
    writeFileSync(join(output, "package.json"), `${JSON.stringify({ type })}\n`);
  }
}

function compile(name, flags) {
  const config = join(sdks, name, "tsconfig.json");
  const { status } = spawnSync(process.execPath, [compiler, "-p", config, ...flags], {
    stdio: "inherit",
  });
  if (status !== 0) process.exit(1);
}

/** Rewrites what TypeScript before 5.0 rejects in declarations: imports of `.ts` files, and `export type *`. */
function makeDeclarationsCompatible(folder) {
  for (const name of readdirSync(folder, { recursive: true })) {
    if (!name.endsWith(".d.ts")) continue;
    const path = join(folder, name);
    const text = readFileSync(path, "utf8");
    const named = text.replace(/((?:from |import\()"\.[^"]*)\.ts"/g, '$1.js"');
    writeFileSync(path, named.replace(/^export type \* from/gm, "export * from"));
  }
}
