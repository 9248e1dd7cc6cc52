import { join } from "node:path";
import { build } from "vite";
import { writeBuild } from "../../scripts/write-build.mjs";

/** Builds the dashboard. */
await writeBuild(join(import.meta.dirname, "dist"), (folder: string) =>
  build({ configFile: join(import.meta.dirname, "vite.config.ts"), build: { outDir: folder } }),
);
