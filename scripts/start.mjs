// What `npm start` runs. Plain JavaScript for Node, because nothing else is there yet on a fresh clone.
import { ensureBuilt } from "./built.mjs";
import { runServer } from "./server.mjs";
import { ensureInstalled } from "./toolchain.mjs";

ensureInstalled();
ensureBuilt("web");
process.exitCode = await runServer(["serve"]);
