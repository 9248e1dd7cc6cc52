// Checks the JavaScript SDKs as they are published: built, packed and installed, on Node.js and Deno, with each supported
// version of Express and NestJS. Usage: node check.mjs <folder for JUnit reports>
// COUNTERSIGN_BUN is the Bun executable that runs the conformance server.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const reports = process.argv[2] ?? join(here, "reports");
const packages = ["node", "express", "nestjs"];
/** The framework versions installed in each folder. The SDKs are built with the first. */
const frameworkVersions = [
  { folder: here, express: "5", nest: "12" },
  { folder: join(here, "framework-versions", "express-5-nest-11"), express: "5", nest: "11" },
  { folder: join(here, "framework-versions", "express-4-nest-10"), express: "4", nest: "10" },
];
const tests = ["express/tests/middleware.mjs", "nestjs/tests/guards.ts"];
/** Adapters that run the conformance suite through a framework. */
const adapters = ["express/tests/express-adapter.mjs", "nestjs/tests/nestjs-adapter.mjs"];
const runners = [
  "node/tests/run-suite.mjs",
  "node/tests/run-case.mjs",
  "node/tests/run-data.mjs",
  "node/tests/direct-adapter.mjs",
  "tests/http-adapter.mjs",
];
const shared = ["tests/signed-delivery.mjs", "tests/signed-delivery.d.mts"];
const programs = [
  "node/tests/https.mjs",
  "tests/programs.mjs",
  "snippets",
  "node/example/backup-agent.mjs",
  "express/example/shop.mjs",
  "nestjs/example/service.ts",
];
let hasFailed = false;

mkdirSync(reports, { recursive: true });
for (const { folder } of frameworkVersions) install(folder);
runOrExit("the build", process.execPath, [join(here, "build.mjs")]);
const packed = pack();
for (const name of packages) {
  runOrExit(`publint for ${name}`, process.execPath, [
    bin("publint/src/cli.js"),
    "run",
    packed[name],
    "--strict",
  ]);
  runOrExit(`type check of ${name}`, process.execPath, [
    bin("@arethetypeswrong/cli/dist/index.js"),
    packed[name],
  ]);
}
const server = await startConformanceServer();
try {
  runSuite("node", process.execPath, "esm");
  // The same code in another module format: the cases of a real server cover it.
  runSuite("node-cjs", process.execPath, "cjs", { only: ["real.json"] });
  runSuite("deno", bin("deno/bin.cjs"), "esm", { before: ["run", "-A", "--quiet"] });
  for (const versions of frameworkVersions) testFrameworks(versions);
} finally {
  server.process.stdin.end();
}
process.exit(hasFailed ? 1 : 0);

/** Skips the installation if the lock file has not changed since the last one. */
function install(folder) {
  const lock = readFileSync(join(folder, "package-lock.json"), "utf8");
  const installedLock = join(folder, "node_modules", ".installed-from");
  if (existsSync(installedLock) && readFileSync(installedLock, "utf8") === lock) return;
  const npm = process.env.npm_execpath;
  const [command, before] = npm === undefined ? ["npm", []] : [process.execPath, [npm]];
  runOrExit("npm ci", command, [...before, "ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: folder,
  });
  writeFileSync(installedLock, lock);
}

/** The packages as they would be published, by name. */
function pack() {
  const folder = join(here, "run", "packed");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const npm = process.env.npm_execpath;
  const [command, before] = npm === undefined ? ["npm", []] : [process.execPath, [npm]];
  return Object.fromEntries(
    packages.map((name) => {
      runOrExit("npm pack", command, [...before, "pack", "--loglevel=error", "--pack-destination", folder], {
        cwd: join(here, name),
      });
      return [name, join(folder, readdirSync(folder).find((file) => file.includes(`-${name}-`)) ?? "")];
    }),
  );
}

function runSuite(
  name,
  program,
  form,
  { before = [], only = [], testFolder = join(here, "node", "tests") } = {},
) {
  const report = join(reports, `${name}.xml`);
  const args = [join(testFolder, "run-suite.mjs"), form, server.url, report, ...only];
  const isScript = program.endsWith(".cjs");
  runTests(isScript ? process.execPath : program, [...(isScript ? [program] : []), ...before, ...args]);
}

/** Runs the Express and NestJS tests in a folder that resolves to these framework versions. */
function testFrameworks({ folder, express, nest }) {
  const testFolder = join(folder, "run", "tests");
  rmSync(testFolder, { recursive: true, force: true });
  mkdirSync(testFolder, { recursive: true });
  if (folder !== here) {
    for (const name of packages) {
      const target = join(folder, "node_modules", "@countersign", name);
      rmSync(target, { recursive: true, force: true });
      mkdirSync(target, { recursive: true });
      runOrExit("tar", "tar", ["-xzf", packed[name], "-C", target, "--strip-components=1"]);
    }
  }
  writeFileSync(join(testFolder, "package.json"), '{ "type": "module" }\n');
  const isNewest = folder === here;
  for (const file of [...tests, ...adapters, ...runners, ...shared, ...(isNewest ? programs : [])])
    cpSync(join(here, file), join(testFolder, file.split("/").at(-1)), { recursive: true });
  writeFileSync(
    join(testFolder, "tsconfig.json"),
    JSON.stringify({
      extends: join(here, "tsconfig.json"),
      include: ["**/*.ts"],
      exclude: [],
      compilerOptions: { rootDir: ".", outDir: "." },
    }),
  );
  runOrExit(`type check of the tests with NestJS ${nest}`, process.execPath, [
    bin("typescript/bin/tsc"),
    "-p",
    testFolder,
  ]);
  const report = join(reports, `express-${express}-nest-${nest}.xml`);
  const args = ["--test", "--test-reporter=junit", `--test-reporter-destination=${report}`];
  const env = { ...process.env, CONFORMANCE_URL: server.url, EXPECT_EXPRESS: express, SDKS: here };
  const files = [...tests, ...(isNewest ? ["programs.mjs", "https.mjs"] : [])].map((file) =>
    join(testFolder, file.split("/").at(-1).replace(/\.ts$/, ".js")),
  );
  runTests(
    process.execPath,
    [...args, "--test-reporter=spec", "--test-reporter-destination=stdout", ...files],
    {
      env,
    },
  );
  if (isNewest || express !== frameworkVersions[0].express)
    runSuite(`conformance-express-${express}`, process.execPath, "./express-adapter.mjs", { testFolder });
  // An app per case is slow: only the newest version runs the whole suite.
  const only = isNewest ? [] : ["real.json"];
  runSuite(`conformance-nest-${nest}`, process.execPath, "./nestjs-adapter.mjs", { testFolder, only });
}

async function startConformanceServer() {
  const program = join(here, "conformance", "server.ts");
  const child = spawn(process.env.COUNTERSIGN_BUN ?? "bun", [program], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const url = await new Promise((resolve, reject) => {
    child.stdout.once("data", (text) => resolve(String(text).trim()));
    child.once("exit", () => reject(new Error("The conformance server did not start.")));
  });
  return { process: child, url };
}

function bin(path) {
  return join(here, "node_modules", ...path.split("/"));
}

/** Runs tests. A failure does not stop the following tests. */
function runTests(command, args, options = {}) {
  const { status } = spawnSync(command, args, {
    stdio: ["ignore", "inherit", "inherit"],
    cwd: here,
    ...options,
  });
  if (status !== 0) hasFailed = true;
}

/** Runs a step that the following ones need, and exits if it fails. */
function runOrExit(step, command, args, options = {}) {
  const result = spawnSync(command, args, { encoding: "utf8", cwd: here, ...options });
  if (result.status === 0) return;
  process.stderr.write(`${result.stdout ?? ""}${result.stderr ?? ""}\nFailed: ${step}.\n`);
  process.exit(1);
}
