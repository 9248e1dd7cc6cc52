import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packages, unpack } from "./packages.mjs";
import { bin, runOrExit, runSuite, runTests, sdks } from "./run.mjs";

/** The framework versions installed in each folder. The SDKs are built with the first. */
export const frameworkVersions = [
  { folder: sdks, express: "5", nest: "12" },
  { folder: join(sdks, "framework-versions", "express-5-nest-11"), express: "5", nest: "11" },
  { folder: join(sdks, "framework-versions", "express-4-nest-10"), express: "4", nest: "10" },
];

const tests = ["express/tests/middleware.mjs", "nestjs/tests/guards.ts"];
/** These do not depend on the versions of Express and NestJS. */
const newestTests = [
  "node/tests/examples.mjs",
  "node/tests/https.mjs",
  "tests/programs.mjs",
  "tests/types.mjs",
];
/** Other runtimes. */
const completeTests = ["node/tests/edge.mjs"];
const suiteFiles = [
  "node/tests/run-suite.mjs",
  "node/tests/run-case.mjs",
  "node/tests/run-data.mjs",
  "node/tests/direct-adapter.mjs",
  "tests/http-adapter.mjs",
  "express/tests/express-adapter.mjs",
  "nestjs/tests/nestjs-adapter.mjs",
];
const shared = ["tests/signed-delivery.mjs", "tests/signed-delivery.d.mts"];
const programs = [
  "snippets",
  "express/example/shop.mjs",
  "nestjs/example/service.ts",
  "node/example/backup-agent.mjs",
  "node/example/fastify.ts",
  "node/example/hono.ts",
  "node/example/next",
  "node/tests/edge-checks.mjs",
  "node/tests/edge-service-worker.mjs",
  "node/tests/edge-worker.mjs",
];

/** Runs the Express and NestJS tests in a folder that resolves to these framework versions. */
export function testFrameworks({ folder, express, nest }, { packed, serverUrl, reports, only, isComplete }) {
  const isNewest = folder === sdks;
  const testFolder = join(folder, "run", "tests");
  if (!isNewest)
    for (const name of packages) unpack(packed[name], join(folder, "node_modules", "@countersign", name));
  const testFiles = [
    ...tests,
    ...(isNewest ? newestTests : []),
    ...(isNewest && isComplete ? completeTests : []),
  ].filter((file) => only.length === 0 || only.includes(file));
  copyInto(testFolder, [...testFiles, ...suiteFiles, ...shared, ...(isNewest ? programs : [])]);
  runOrExit(`type check of the tests with NestJS ${nest}`, process.execPath, [
    bin("typescript/bin/tsc"),
    "-p",
    testFolder,
  ]);
  runTests(
    process.execPath,
    [
      "--test",
      "--test-reporter=junit",
      `--test-reporter-destination=${join(reports, `express-${express}-nest-${nest}.xml`)}`,
      "--test-reporter=spec",
      "--test-reporter-destination=stdout",
      ...testFiles.map((file) => join(testFolder, nameOf(file).replace(/\.ts$/, ".js"))),
    ],
    {
      env: {
        ...process.env,
        CONFORMANCE_URL: serverUrl,
        EXPECT_EXPRESS: express,
        SDKS: sdks,
        PACKED: packed.node,
      },
    },
  );
  if (only.length > 0) return;
  // An app per case is slow. The other cases differ in the responses of the server, which the client handles alone.
  const suite = { serverUrl, reports, testFolder, part: isNewest && isComplete ? "written" : "real" };
  if (isNewest || express !== frameworkVersions[0]?.express)
    runSuite(`conformance-express-${express}`, process.execPath, "./express-adapter.mjs", suite);
  runSuite(`conformance-nest-${nest}`, process.execPath, "./nestjs-adapter.mjs", suite);
}

function copyInto(testFolder, files) {
  rmSync(testFolder, { recursive: true, force: true });
  mkdirSync(testFolder, { recursive: true });
  writeFileSync(join(testFolder, "package.json"), '{ "type": "module" }\n');
  for (const file of files) cpSync(join(sdks, file), join(testFolder, nameOf(file)), { recursive: true });
  const compilerOptions = { rootDir: ".", outDir: "." };
  writeFileSync(
    join(testFolder, "tsconfig.json"),
    JSON.stringify({
      extends: join(sdks, "tsconfig.json"),
      include: ["**/*.ts"],
      exclude: [],
      compilerOptions,
    }),
  );
}

function nameOf(file) {
  return file.split("/").at(-1);
}
