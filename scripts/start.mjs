// Runs for `npm start`. Plain JavaScript for Node.js, because a fresh clone has nothing else yet.
import { buildInBackground, ensureBuilt } from "./built.mjs";
import { runServer } from "./server.mjs";
import { ensureInstalled } from "./toolchain.mjs";

ensureInstalled();
ensureBuilt("web");
ensureBuilt("server");
// The server does not need it to start, and serves it as soon as it is there.
const stopBuilding = buildInBackground("docs");
process.exitCode = await runServer(["serve"]);
stopBuilding();
