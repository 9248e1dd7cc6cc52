// Builds the SDKs for JavaScript, each twice: as ES modules and as CommonJS.
import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const compiler = join(here, "node_modules", "typescript", "bin", "tsc");

/** In this order: the others use the first. */
const packages = ["node", "express", "nestjs"];

const shapes = {
  esm: { words: [], type: "module" },
  cjs: {
    words: ["--module", "CommonJS", "--moduleResolution", "Bundler", "--verbatimModuleSyntax", "false"],
    type: "commonjs",
  },
};

for (const name of packages) {
  const dist = join(here, name, "dist");
  rmSync(dist, { recursive: true, force: true });
  for (const [shape, { words, type }] of Object.entries(shapes)) {
    const output = join(dist, shape);
    compile(name, ["--rootDir", join(here, name, "src"), "--outDir", output, ...words]);
    // The package is of ES modules: this says for the folder what it is instead, or that it is the same.
    writeFileSync(join(output, "package.json"), `${JSON.stringify({ type })}\n`);
  }
}

function compile(name, words) {
  const config = join(here, name, "tsconfig.json");
  const { status } = spawnSync(process.execPath, [compiler, "-p", config, ...words], {
    stdio: "inherit",
  });
  if (status !== 0) process.exit(1);
}
