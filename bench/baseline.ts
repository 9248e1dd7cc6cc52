import { resolve } from "node:path";
import type { seed } from "./seed.ts";
import type { startCountersign } from "./servers.ts";

/** Another version of Countersign: how it fills a database, and how it is started. */
export interface Version {
  readonly seed: typeof seed;
  readonly start: typeof startCountersign;
}

/**
 * The version in another checkout, which must be installed and built. Its own code fills its database, because schemas
 * differ between versions, and starts its own server.
 */
export async function versionIn(folder: string): Promise<Version> {
  const load = (file: string) => import(resolve(folder, "bench", file));
  const ofThisVersion = process.env.COUNTERSIGN_TEST_SERVER;
  // Read when the files are loaded.
  process.env.COUNTERSIGN_TEST_SERVER = resolve(folder, "apps", "server", "dist", "main.js");
  try {
    const [seeds, servers] = await Promise.all([load("seed.ts"), load("servers.ts")]);
    return { seed: seeds.seed, start: servers.startCountersign };
  } finally {
    if (ofThisVersion === undefined) delete process.env.COUNTERSIGN_TEST_SERVER;
    else process.env.COUNTERSIGN_TEST_SERVER = ofThisVersion;
  }
}
