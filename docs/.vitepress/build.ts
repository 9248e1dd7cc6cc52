import { copyFileSync, cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "vitepress";
import { fileOfPackage } from "../../scripts/npm-package.mjs";
import { writeBuild } from "../../scripts/write-build.mjs";
import { allSources, pathOf } from "./pages.ts";
import { scalar } from "./scalar.ts";
import { allForPrograms, contentsForPrograms, markdownOf } from "./stage.ts";

const docs = join(import.meta.dirname, "..");
/** Where this build works. */
const run = join(import.meta.dirname, "run", String(process.pid));

/** Builds the site of the documentation. */
try {
  const program = fileOfPackage(scalar);
  await writeBuild(
    join(import.meta.dirname, "dist"),
    async (folder: string) => {
      // A root of its own, with the temporary files of this build: another one can run at the same time.
      const files = {
        "config.ts": 'export { default } from "../../../config.ts";\n',
        "theme/index.ts": 'export { default } from "../../../../theme/index.ts";\n',
      };
      mkdirSync(join(run, ".vitepress/theme"), { recursive: true });
      for (const [name, text] of Object.entries(files)) writeFileSync(join(run, ".vitepress", name), text);
      await build(run, { outDir: folder });
      copyFileSync(program, join(folder, "scalar.js"));
      cpSync(join(docs, "grafana"), join(folder, "grafana"), { recursive: true });
      // Every page is there as Markdown too, at its address with .md.
      for (const source of allSources()) {
        const path = join(folder, `${pathOf(source)}.md`);
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, markdownOf(source));
      }
      writeFileSync(join(folder, "llms.txt"), contentsForPrograms());
      writeFileSync(join(folder, "llms-full.txt"), allForPrograms());
    },
    { quality: 9 },
  );
} finally {
  rmSync(run, { recursive: true, force: true });
}
