import { createServer } from "node:net";

/**
 * Below the ports that operating systems give out by themselves, so that between the asking and the listening nobody
 * gets the port by chance; and each process begins at a place of its own, as test files run side by side.
 */
const lowest = 10_000;
const stretch = 50;
const stretches = 400;
let asked = 0;

/** A port of loopback that nobody listens on, and that is told only once. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < stretch * stretches; tries++) {
    const place = (process.pid % stretches) * stretch + asked++;
    const port = lowest + (place % (stretch * stretches));
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
