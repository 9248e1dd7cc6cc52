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
 * differ between versions.
 */
export async function versionIn(folder: string): Promise<Version> {
  const load = (file: string) => import(resolve(folder, "bench", file));
  const [seeds, servers] = await Promise.all([load("seed.ts"), load("servers.ts")]);
  return { seed: seeds.seed, start: servers.startCountersign };
}
