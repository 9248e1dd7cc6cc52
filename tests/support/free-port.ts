import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * Below the ephemeral ports, so that the operating system gives the port to no other process in between. Chosen at
 * random, because test files run in parallel and counting up would collide. Above 10080, the highest port that browsers
 * and `fetch` refuse.
 */
const lowest = 10_081;
const highest = 30_000;

/** A free port on loopback. */
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
