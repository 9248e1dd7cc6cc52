import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { build } from "vite";

const output = join(import.meta.dirname, "dist");
/** Made beside the old one and put in its place when it is whole: nobody meets half of it. */
const half = join(import.meta.dirname, `../../node_modules/.dashboard-${process.pid}`);

/** Builds the dashboard, and packs what is large enough to be worth it: once here instead of at every request. */
try {
  await build({ configFile: join(import.meta.dirname, "vite.config.ts"), build: { outDir: half } });
  for (const entry of readdirSync(half, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(js|css|svg|json)$/.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const content = readFileSync(path);
    if (content.length <= 1_024) continue;
    writeFileSync(`${path}.br`, brotliCompressSync(content));
    // Browsers take the other only where nobody can listen: not from a server in the house, without a certificate.
    writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
  }
  rmSync(output, { recursive: true, force: true });
  renameSync(half, output);
} finally {
  rmSync(half, { recursive: true, force: true });
}
