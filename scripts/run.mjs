import { ensureInstalled, runBun } from "./toolchain.mjs";

ensureInstalled();
process.exitCode = await runBun(process.argv.slice(2));
