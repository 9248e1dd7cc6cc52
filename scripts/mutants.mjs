import { ensureBuilt } from "./built.mjs";
import { ensureDebianPrograms, ensureStripeMock } from "./test-programs.mjs";
import { ensureInstalled, runBun } from "./toolchain.mjs";

ensureInstalled();
ensureDebianPrograms();
ensureBuilt("web");
ensureBuilt("server");
ensureStripeMock();
process.exitCode = await runBun(["tests/mutants/main.ts", ...process.argv.slice(2)]);
