import { join } from "node:path";
import { ensureBuilt } from "./built.mjs";
import { ensureInstalled, root, runBun } from "./toolchain.mjs";

export const builtServer = join(root, "apps", "server", "dist", "main.js");

/** Runs a command of the server. */
export function runServer(words) {
  ensureInstalled();
  ensureBuilt("server");
  return runBun([builtServer, ...words]);
}
