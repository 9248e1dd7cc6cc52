import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { build } from "vite";

const output = join(import.meta.dirname, "dist");

/** Builds the dashboard, and packs what is large enough to be worth it: once here instead of at every request. */
await build({ configFile: join(import.meta.dirname, "vite.config.ts") });
for (const entry of readdirSync(output, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !/\.(js|css|svg|json)$/.test(entry.name)) continue;
  const path = join(entry.parentPath, entry.name);
  const content = readFileSync(path);
  if (content.length <= 1_024) continue;
  writeFileSync(`${path}.br`, brotliCompressSync(content));
  // Browsers take the other only where nobody can listen: not from a server in the house, without a certificate.
  writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
}
