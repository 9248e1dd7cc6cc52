import { ensureBuilt } from "./built.mjs";
import { builtServer } from "./server.mjs";
import { ensureInstalled, runBun } from "./toolchain.mjs";

ensureInstalled();
// Benchmarks and fault tests use the server that users start.
ensureBuilt("server");
process.exitCode = await runBun(process.argv.slice(2), {
  env: { COUNTERSIGN_TEST_SERVER: builtServer, ...process.env },
});
