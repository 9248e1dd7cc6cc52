import { spawnSync } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dir, "../..");

/** Builds the documentation if it has changed. `npm test` has done it before, beside the first tests. */
export function buildDocs(): void {
  const { status, stderr } = spawnSync("node", [join(root, "scripts/prepare-tests.mjs"), "docs"], {
    cwd: root,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`The documentation could not be built: ${stderr}`);
}
