import {
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Fault } from "./fault.ts";
import { root, trackedFiles } from "./sources.ts";

/** A copy of the project in which one fault at a time is planted. */
export interface Copy {
  readonly folder: string;
  /** Runs the work with the fault in place, and removes the fault again. */
  plant<T>(fault: Fault, path: string, work: () => Promise<T>): Promise<T>;
  remove(): void;
}

/** Installed and built things are not in the repository, and a copy needs them. */
const builtFolders = ["apps/web/dist", "apps/server/dist"];
const installedFolders = [
  "node_modules",
  "apps/server/node_modules",
  "sdks/node_modules",
  "sdks/framework-versions/express-5-nest-11/node_modules",
  "sdks/framework-versions/express-4-nest-10/node_modules",
];
const linkedFolders = ["sdks/python/.venv"];

export function makeCopy(): Copy {
  const folder = mkdtempSync(join(tmpdir(), "countersign-mutants-"));
  for (const path of trackedFiles()) {
    if (!existsSync(join(root, path))) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    copyFileSync(join(root, path), join(folder, path));
  }
  for (const path of installedFolders) linkModules(join(root, path), join(folder, path));
  for (const path of linkedFolders)
    if (existsSync(join(root, path))) symlinkSync(join(root, path), join(folder, path));
  for (const path of builtFolders)
    if (existsSync(join(root, path))) cpSync(join(root, path), join(folder, path), { recursive: true });
  return {
    folder,
    plant: async (fault, path, work) => {
      const place = join(folder, path);
      const text = readFileSync(place, "utf8");
      // A function, because a replacement text may contain dollar signs.
      writeFileSync(
        place,
        text.replace(fault.find, () => fault.replace),
      );
      try {
        return await work();
      } finally {
        writeFileSync(place, text);
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Links installed packages. The project's own packages are linked relatively, and so to those of the copy. */
function linkModules(from: string, to: string): void {
  if (!existsSync(from)) return;
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    const source = join(from, name);
    const target = join(to, name);
    const found = lstatSync(source);
    if (found.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else if (found.isDirectory() && name.startsWith("@")) linkModules(source, target);
    else if (found.isDirectory()) symlinkSync(source, target);
    else copyFileSync(source, target);
  }
}
