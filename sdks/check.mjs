// Checks the SDKs for JavaScript as their users get them: built, packed and installed, on Node.js and Deno, beside each
// generation of Express and NestJS that they are made for. node check.mjs <folder for JUnit reports>
// COUNTERSIGN_BUN is the Bun that plays the server of the conformance suite.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const reports = process.argv[2] ?? join(here, "reports");
const packages = ["node", "express", "nestjs"];
/** What is installed in a folder, by what its tests expect to meet there. The newest is what the SDKs are built with. */
const generations = [
  { folder: here, express: "5", nest: "12" },
  { folder: join(here, "generations", "express-5-nest-11"), express: "5", nest: "11" },
  { folder: join(here, "generations", "express-4-nest-10"), express: "4", nest: "10" },
];
const tests = ["express/tests/middleware.mjs", "nestjs/tests/guards.ts"];
/** What takes the whole conformance suite through a framework. */
const doors = ["express/tests/through-express.mjs", "nestjs/tests/through-nestjs.mjs"];
const runners = ["node/tests/run-suite.mjs", "node/tests/run-case.mjs", "tests/through-http.mjs"];
const shared = ["tests/signed-delivery.mjs", "tests/signed-delivery.d.mts"];
const programs = [
  "node/tests/https.mjs",
  "tests/programs.mjs",
  "snippets",
  "node/example/backup-agent.mjs",
  "express/example/shop.mjs",
  "nestjs/example/service.ts",
];
let isBad = false;

mkdirSync(reports, { recursive: true });
for (const { folder } of generations) install(folder);
must("the build", process.execPath, [join(here, "build.mjs")]);
const packed = pack();
for (const name of packages) {
  must(`publint of ${name}`, process.execPath, [bin("publint/src/cli.js"), "run", packed[name], "--strict"]);
  must(`the types of ${name}`, process.execPath, [bin("@arethetypeswrong/cli/dist/index.js"), packed[name]]);
}
const server = await startConformance();
try {
  suite("node", process.execPath, "esm");
  // The same code in another wrapping: real answers pass through all of it.
  suite("node-cjs", process.execPath, "cjs", { only: ["real.json"] });
  suite("deno", bin("deno/bin.cjs"), "esm", { before: ["run", "-A", "--quiet"] });
  for (const generation of generations) beside(generation);
} finally {
  server.process.stdin.end();
}
process.exit(isBad ? 1 : 0);

/** Nothing to do where just this is installed already. */
function install(folder) {
  const lock = readFileSync(join(folder, "package-lock.json"), "utf8");
  const mark = join(folder, "node_modules", ".installed-from");
  if (existsSync(mark) && readFileSync(mark, "utf8") === lock) return;
  const npm = process.env.npm_execpath;
  const [command, before] = npm === undefined ? ["npm", []] : [process.execPath, [npm]];
  must("npm ci", command, [...before, "ci", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: folder });
  writeFileSync(mark, lock);
}

/** The packages as they would be published, by their names. */
function pack() {
  const folder = join(here, "run", "packed");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const npm = process.env.npm_execpath;
  const [command, before] = npm === undefined ? ["npm", []] : [process.execPath, [npm]];
  return Object.fromEntries(
    packages.map((name) => {
      must("npm pack", command, [...before, "pack", "--loglevel=error", "--pack-destination", folder], {
        cwd: join(here, name),
      });
      return [name, join(folder, readdirSync(folder).find((file) => file.includes(`-${name}-`)) ?? "")];
    }),
  );
}

function suite(name, program, form, { before = [], only = [], place = join(here, "node", "tests") } = {}) {
  const report = join(reports, `${name}.xml`);
  const words = [join(place, "run-suite.mjs"), form, server.url, report, ...only];
  const isScript = program.endsWith(".cjs");
  run(isScript ? process.execPath : program, [...(isScript ? [program] : []), ...before, ...words]);
}

/** The tests of Express and NestJS, in a folder from which they find what this generation has installed. */
function beside({ folder, express, nest }) {
  const place = join(folder, "run", "tests");
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  if (folder !== here) {
    for (const name of packages) {
      const target = join(folder, "node_modules", "@countersign", name);
      rmSync(target, { recursive: true, force: true });
      mkdirSync(target, { recursive: true });
      must("tar", "tar", ["-xzf", packed[name], "-C", target, "--strip-components=1"]);
    }
  }
  writeFileSync(join(place, "package.json"), '{ "type": "module" }\n');
  const isNewest = folder === here;
  for (const file of [...tests, ...doors, ...runners, ...shared, ...(isNewest ? programs : [])])
    cpSync(join(here, file), join(place, file.split("/").at(-1)), { recursive: true });
  writeFileSync(
    join(place, "tsconfig.json"),
    JSON.stringify({
      extends: join(here, "tsconfig.json"),
      include: ["**/*.ts"],
      exclude: [],
      compilerOptions: { rootDir: ".", outDir: "." },
    }),
  );
  must(`the types of what uses NestJS ${nest}`, process.execPath, [bin("typescript/bin/tsc"), "-p", place]);
  const report = join(reports, `express-${express}-nest-${nest}.xml`);
  const words = ["--test", "--test-reporter=junit", `--test-reporter-destination=${report}`];
  const env = { ...process.env, CONFORMANCE_URL: server.url, EXPECT_EXPRESS: express, SDKS: here };
  const files = [...tests, ...(isNewest ? ["programs.mjs", "https.mjs"] : [])].map((file) =>
    join(place, file.split("/").at(-1).replace(/\.ts$/, ".js")),
  );
  run(process.execPath, [...words, "--test-reporter=spec", "--test-reporter-destination=stdout", ...files], {
    env,
  });
  if (isNewest || express !== generations[0].express)
    suite(`through-express-${express}`, process.execPath, "./through-express.mjs", { place });
  // An app for each case takes its time: the whole suite on the newest, real answers on the others.
  const only = isNewest ? [] : ["real.json"];
  suite(`through-nest-${nest}`, process.execPath, "./through-nestjs.mjs", { place, only });
}

async function startConformance() {
  const program = join(here, "conformance", "server.ts");
  const child = spawn(process.env.COUNTERSIGN_BUN ?? "bun", [program], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const url = await new Promise((resolve, reject) => {
    child.stdout.once("data", (text) => resolve(String(text).trim()));
    child.once("exit", () => reject(new Error("The server of the conformance suite did not start.")));
  });
  return { process: child, url };
}

function bin(path) {
  return join(here, "node_modules", ...path.split("/"));
}

/** Runs tests: whatever they say, those that follow run too. */
function run(command, words, options = {}) {
  const { status } = spawnSync(command, words, {
    stdio: ["ignore", "inherit", "inherit"],
    cwd: here,
    ...options,
  });
  if (status !== 0) isBad = true;
}

/** Without this, what follows would say nothing. */
function must(what, command, words, options = {}) {
  const result = spawnSync(command, words, { encoding: "utf8", cwd: here, ...options });
  if (result.status === 0) return;
  process.stderr.write(`${result.stdout ?? ""}${result.stderr ?? ""}\nFailed: ${what}.\n`);
  process.exit(1);
}
