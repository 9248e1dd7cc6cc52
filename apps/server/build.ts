import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root, serverBuild } from "./build-options.ts";

const output = join(import.meta.dirname, "dist");
/** Built next to the old one and renamed into place once complete: nobody sees a partial build. */
const half = join(root, `node_modules/.server-${process.pid}`);

/**
 * Bundles the server and its threads into small files, of which each command loads what it needs: it starts in less than
 * half the time that some 1,600 source files take. Errors still name the sources, through the source maps.
 */
try {
  await Bun.build({ ...serverBuild("folder", "apps/server/main.ts"), outdir: half });
  rmSync(output, { recursive: true, force: true });
  renameSync(half, output);
} finally {
  rmSync(half, { recursive: true, force: true });
}
