import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { root } from "./toolchain.mjs";

/**
 * Lets `build` write files into a folder, compresses larger ones once, instead of at every request, and swaps the folder
 * with `output` when it is complete, so that no request gets half of a build. The best `quality` of Brotli takes three
 * seconds for a megabyte.
 */
export async function writeBuild(output, build, { quality = 11 } = {}) {
  const half = join(root, `node_modules/.built-${process.pid}`);
  try {
    await build(half);
    for (const entry of readdirSync(half, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !/\.(js|css|svg|json|html|md|txt)$/.test(entry.name)) continue;
      const path = join(entry.parentPath, entry.name);
      const content = readFileSync(path);
      if (content.length <= 1_024) continue;
      const params = { [constants.BROTLI_PARAM_QUALITY]: quality };
      writeFileSync(`${path}.br`, brotliCompressSync(content, { params }));
      // Browsers accept Brotli only over HTTPS, and a server on a local network may have no certificate.
      writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
    }
    rmSync(output, { recursive: true, force: true });
    renameSync(half, output);
  } finally {
    rmSync(half, { recursive: true, force: true });
  }
}
