// Compiles programs that use the packages, with the oldest and the newest supported TypeScript, and the examples in the
// READMEs. SDKS is the folder of the SDKs, and PACKED the packed @countersign/node.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";

const sdks = process.env.SDKS;
const oldest = "typescript-4.7";
const newest = "typescript";
const common = { strict: true, noEmit: true, target: "ES2020", types: [] };

/** The errors of the compiler, and the files that it has read. */
function compile(version, folder, files, compilerOptions) {
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  const args = [join(sdks, "node_modules", version, "bin", "tsc"), "-p", folder, "--listFiles"];
  const { stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
  const lines = stdout.split("\n").filter((line) => line !== "");
  return {
    errors: lines.filter((line) => !line.startsWith("/")),
    files: lines.filter((line) => line.startsWith("/")),
  };
}

describe("a strict program without the types of Node.js compiles", () => {
  const folder = join(sdks, "run", "types");
  const withDom = ["core.ts", "http.ts", "web.ts", "device.ts"];
  const withoutDom = ["core.ts", "http.ts", "device.ts"];
  before(() => {
    rmSync(folder, { recursive: true, force: true });
    const target = join(folder, "node_modules", "@countersign", "node");
    mkdirSync(target, { recursive: true });
    const unpacked = spawnSync("tar", ["-xzf", process.env.PACKED, "-C", target, "--strip-components=1"]);
    assert.equal(unpacked.status, 0);
    cpSync(join(sdks, "node", "tests", "types"), folder, { recursive: true });
  });

  for (const [version, type, options, files] of [
    [oldest, "commonjs", { module: "CommonJS", moduleResolution: "node" }, withDom],
    [oldest, "commonjs", { module: "Node16", moduleResolution: "Node16" }, withDom],
    [oldest, "module", { module: "Node16", moduleResolution: "Node16" }, withDom],
    [oldest, "module", { module: "Node16", moduleResolution: "Node16", lib: ["ES2020"] }, withoutDom],
    [newest, "module", { module: "NodeNext", exactOptionalPropertyTypes: true }, withDom],
    [newest, "commonjs", { module: "NodeNext", lib: ["ES2020"] }, withoutDom],
    [newest, "module", { module: "ESNext", moduleResolution: "Bundler" }, withDom],
  ])
    test(`with ${version}, ${type}, ${JSON.stringify(options)}`, () => {
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

/** The code of a README, as far as it is complete: what follows an import. */
function examplesOf(readme) {
  const blocks = [...readme.matchAll(/^```(?:js|ts)\n(.*?)^```$/gms)].map(([, code]) => code);
  return blocks.filter((code) => /^import /m.test(code));
}

describe("the examples in the README compile strictly", () => {
  const folder = join(sdks, "run", "readme");
  for (const name of ["node", "express", "nestjs"])
    test(name, () => {
      const examples = examplesOf(readFileSync(join(sdks, name, "README.md"), "utf8"));
      assert.ok(examples.length > 0, "the README has an example");
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
      const { errors } = compile(newest, target, files, { ...options, ...decorators, skipLibCheck: true });
      assert.deepEqual(errors, []);
    });
});
