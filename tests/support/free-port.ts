import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * Below the ports that operating systems give out by themselves, so that between the asking and the listening nobody
 * gets the port by chance. Drawn by lot: test files run side by side, and two that count would meet sooner or later.
 */
const lowest = 10_000;
const highest = 30_000;

/** A port of loopback that nobody listens on. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 1_000; tries++) {
    const port = randomInt(lowest, highest);
    if (await isFree(port)) return port;
  }
  throw new Error("There is no free port.");
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.on("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}
