import { runServer } from "./server.mjs";

process.exitCode = await runServer(process.argv.slice(2));
