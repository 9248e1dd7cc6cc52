// What `npm start` runs. Plain JavaScript for Node, because nothing else is there yet on a fresh clone.
import { ensureInstalled, runServer } from "./toolchain.mjs";
import { ensureBuilt } from "./web-build.mjs";

ensureInstalled();
ensureBuilt();
process.exitCode = await runServer(["serve"]);
