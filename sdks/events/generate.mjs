// Writes the SDKs' types of webhook events: node sdks/events/generate.mjs
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bunBinary, ensureInstalled } from "../../scripts/toolchain.mjs";

const program = fileURLToPath(import.meta.url);

/** They are not in the repository: whatever builds, tests or type-checks an SDK writes them first. */
export function generateEvents() {
  if (bunBinary() === null) ensureInstalled();
  const { status } = spawnSync(bunBinary(), [join(dirname(program), "generate.ts")], { stdio: "inherit" });
  if (status !== 0) process.exit(1);
}

if (process.argv[1] === program) generateEvents();
