import { join } from "node:path";
import { ensureBuilt } from "./built.mjs";
import { ensureInstalled, root, runBun } from "./toolchain.mjs";

export const builtServer = join(root, "apps", "server", "dist", "main.js");

/** Runs a command of the server. */
export function runServer(words) {
  ensureInstalled();
  ensureBuilt("server");
  const [command = "serve", ...rest] = words;
  // A wrapper that is killed passes nothing on, so the server watches it.
  const watched = command === "serve" ? ["--parent", String(process.pid)] : [];
  return runBun([builtServer, command, ...watched, ...rest]);
}
