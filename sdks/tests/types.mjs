// Compiles programs that use the packages, with the newest supported TypeScript, and the examples in the READMEs and on their pages of the documentation; with
// COUNTERSIGN_TEST_ALL=true also with the oldest supported TypeScript. SDKS is the folder of the SDKs, and PACKED the packed @countersign/node.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";

const sdks = process.env.SDKS;
/** The compilers, by version. The oldest is installed with the oldest frameworks. */
const compilers = {
  4.7: join(sdks, "framework-versions", "express-4-nest-10"),
  newest: sdks,
};
const common = { strict: true, noEmit: true, target: "ES2020", types: [] };

/** The errors of the compiler, and the files that it has read. */
function compile(version, folder, files, compilerOptions) {
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  const compiler = join(compilers[version], "node_modules", "typescript", "bin", "tsc");
  const args = [compiler, "-p", folder, "--listFiles"];
  const { stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
  const lines = stdout.split("\n").filter((line) => line !== "");
  return {
    errors: lines.filter((line) => !line.startsWith("/")),
    files: lines.filter((line) => line.startsWith("/")),
  };
}

describe("strict programs", () => {
  const folder = join(sdks, "run", "types");
  before(() => {
    rmSync(folder, { recursive: true, force: true });
    const target = join(folder, "node_modules", "@countersign", "node");
    mkdirSync(target, { recursive: true });
    const unpacked = spawnSync("tar", ["-xzf", process.env.PACKED, "-C", target, "--strip-components=1"]);
    assert.equal(unpacked.status, 0);
    cpSync(join(sdks, "node", "tests", "types"), folder, { recursive: true });
  });

  const files = ["core.ts", "device.ts", "http.ts", "web.ts"];
  const oldest = [
    ["4.7", "commonjs", { module: "CommonJS", moduleResolution: "node" }],
    ["4.7", "module", { module: "Node16", moduleResolution: "Node16" }],
  ];
  for (const [version, type, options] of [
    ...(process.env.COUNTERSIGN_TEST_ALL === "true" ? oldest : []),
    ["newest", "commonjs", { module: "NodeNext" }],
    ["newest", "module", { module: "NodeNext", exactOptionalPropertyTypes: true }],
    ["newest", "module", { module: "ESNext", moduleResolution: "Bundler" }],
  ])
    test(`a strict program compiles with TypeScript ${version}, ${type}, ${JSON.stringify(options)}`, () => {
      writeFileSync(join(folder, "package.json"), JSON.stringify({ type }));
      const compiled = compile(version, folder, files, { ...common, ...options });
      assert.deepEqual(compiled.errors, []);
      assert.ok(compiled.files.some((file) => file.includes("/@countersign/node/dist/")));
      assert.deepEqual(
        compiled.files.filter((file) => file.includes("/@types/")),
        [],
      );
    });
});

/** Every example is a complete program. */
function examplesOf(file) {
  const text = readFileSync(file, "utf8");
  return [...text.matchAll(/^```(?:js|ts)\n(.*?)^```$/gms)].map(([, code]) => code);
}

describe("READMEs", () => {
  const folder = join(sdks, "run", "readme");
  for (const name of ["node", "express", "nestjs"])
    test(`the examples in the README of ${name} and on its page of the documentation compile strictly`, () => {
      const ofReadme = examplesOf(join(sdks, name, "README.md"));
      const ofPage = examplesOf(join(sdks, "..", "docs", "sdks", `${name}.md`));
      assert.ok(ofReadme.length > 0 && ofPage.length > 2, "there are examples");
      const examples = [...ofReadme, ...ofPage];
      const target = join(folder, name);
      rmSync(target, { recursive: true, force: true });
      mkdirSync(target, { recursive: true });
      writeFileSync(join(target, "package.json"), JSON.stringify({ type: "module" }));
      const files = examples.map((code, index) => {
        writeFileSync(join(target, `${index}.ts`), code);
        return `${index}.ts`;
      });
      const options = { ...common, target: "ES2022", module: "NodeNext", types: ["node"] };
      const decorators = { experimentalDecorators: true, emitDecoratorMetadata: true };
      const { errors } = compile("newest", target, files, { ...options, ...decorators, skipLibCheck: true });
      assert.deepEqual(errors, []);
    });
});
