// Prints how large the entries of @countersign/node are when an app bundles them, and fails if the client has become
// too large for edge runtimes.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { sdks } from "./run.mjs";

const maxCoreBytes = 16_000;
const entries = { "@countersign/node": "index", "…/http": "http/index", "…/device": "device/index" };

const sizes = Object.entries(entries).map(([name, file]) => {
  const path = join(sdks, "node", "dist", "esm", `${file}.js`);
  const args = ["build", path, "--minify", "--target=browser", "--external=node:*"];
  const { status, stdout, stderr } = spawnSync(process.env.COUNTERSIGN_BUN ?? "bun", args);
  if (status !== 0) throw new Error(String(stderr));
  return { name, bytes: stdout.length, compressedBytes: gzipSync(stdout).length };
});
const lines = sizes.map(
  ({ name, bytes, compressedBytes }) => `${name}: ${bytes} bytes minified, ${compressedBytes} with gzip`,
);
process.stdout.write(`${lines.join("\n")}\n`);
if (sizes[0].compressedBytes > maxCoreBytes) {
  process.stderr.write(`@countersign/node must have at most ${maxCoreBytes} bytes with gzip.\n`);
  process.exit(1);
}
