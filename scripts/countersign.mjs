import { runServer } from "./toolchain.mjs";

process.exitCode = await runServer(process.argv.slice(2));
