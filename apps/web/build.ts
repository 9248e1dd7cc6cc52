import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "vite";
import { noticesText } from "../../scripts/notices.ts";
import { writeBuild } from "../../scripts/write-build.mjs";

/** Builds the dashboard. */
await writeBuild(join(import.meta.dirname, "dist"), async (folder: string) => {
  await build({ configFile: join(import.meta.dirname, "vite.config.ts"), build: { outDir: folder } });
  writeFileSync(join(folder, "notices.txt"), noticesText());
});
