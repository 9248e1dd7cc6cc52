import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { build } from "vite";
import { noticesText } from "../../scripts/notices.ts";

const output = join(import.meta.dirname, "dist");
/** Built next to the old files and swapped when complete, so that no request gets half of a build. */
const half = join(import.meta.dirname, `../../node_modules/.dashboard-${process.pid}`);

/** Builds the dashboard and compresses larger files once, instead of at every request. */
try {
  await build({ configFile: join(import.meta.dirname, "vite.config.ts"), build: { outDir: half } });
  writeFileSync(join(half, "notices.txt"), noticesText());
  for (const entry of readdirSync(half, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(js|css|svg|json|txt)$/.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const content = readFileSync(path);
    if (content.length <= 1_024) continue;
    writeFileSync(`${path}.br`, brotliCompressSync(content));
    // Browsers accept Brotli only over HTTPS, and a server on a local network may have no certificate.
    writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
  }
  rmSync(output, { recursive: true, force: true });
  renameSync(half, output);
} finally {
  rmSync(half, { recursive: true, force: true });
}
