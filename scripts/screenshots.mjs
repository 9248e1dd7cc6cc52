import { ensureBuilt } from "./built.mjs";
import { builtServer } from "./server.mjs";
import { ensureInstalled, runBun } from "./toolchain.mjs";

ensureInstalled();
// Not the documentation: it is built with the pictures.
ensureBuilt("web");
ensureBuilt("server");
process.exitCode = await runBun(["tests/screenshots/main.ts", ...process.argv.slice(2)], {
  env: { ...process.env, COUNTERSIGN_TEST_SERVER: builtServer },
});
