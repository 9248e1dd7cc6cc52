// What `npm start` runs. Plain JavaScript for Node, because nothing else is there yet on a fresh clone.
import { runServer } from "./toolchain.mjs";

process.exitCode = await runServer(["serve"]);
