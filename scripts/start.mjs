// Runs for `npm start`. Plain JavaScript for Node.js, because a fresh clone has nothing else yet.
import { ensureBuilt } from "./built.mjs";
import { runServer } from "./server.mjs";
import { ensureInstalled } from "./toolchain.mjs";

ensureInstalled();
ensureBuilt("web");
process.exitCode = await runServer(["serve"]);
