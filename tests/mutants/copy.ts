import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Fault } from "./faults-in.ts";
import { root, trackedFiles } from "./sources.ts";

/** A copy of the project in which one fault at a time is planted. */
export interface Copy {
  readonly folder: string;
  /** Runs the work with the fault in place, and removes the fault again. */
  plant<T>(fault: Fault, path: string, work: () => Promise<T>): Promise<T>;
  remove(): void;
}

/** Installed and built things are not in the repository, and a copy needs them. */
const built = ["apps/web/dist", "apps/server/dist"];
const installed = [
  "",
  "apps/server/",
  "sdks/",
  "sdks/framework-versions/express-5-nest-11/",
  "sdks/framework-versions/express-4-nest-10/",
  "sdks/runtimes/",
];
const python = "sdks/python/.venv";

export function makeCopy(): Copy {
  const folder = fs.mkdtempSync(join(tmpdir(), "countersign-mutants-"));
  for (const path of [...trackedFiles(), ...built])
    if (fs.existsSync(join(root, path))) fs.cpSync(join(root, path), join(folder, path), { recursive: true });
  for (const path of installed)
    linkModules(join(root, path, "node_modules"), join(folder, path, "node_modules"));
  spawnSync("node", [join(folder, "sdks/events/generate.mjs")], { stdio: "inherit" });
  if (fs.existsSync(join(root, python))) fs.symlinkSync(join(root, python), join(folder, python));
  return {
    folder,
    plant: async (fault, path, work) => {
      const place = join(folder, path);
      const text = fs.readFileSync(place, "utf8");
      // A function, because a replacement text may contain dollar signs.
      const changed = text.replace(fault.find, () => fault.replace);
      fs.writeFileSync(place, changed);
      try {
        return await work();
      } finally {
        fs.writeFileSync(place, text);
      }
    },
    remove: () => fs.rmSync(folder, { recursive: true, force: true }),
  };
}

/** Links installed packages. The project's own packages are linked relatively, and so to those of the copy. */
function linkModules(from: string, to: string): void {
  if (!fs.existsSync(from)) return;
  fs.mkdirSync(to, { recursive: true });
  for (const name of fs.readdirSync(from)) {
    const source = join(from, name);
    const target = join(to, name);
    const found = fs.lstatSync(source);
    if (found.isSymbolicLink()) fs.symlinkSync(fs.readlinkSync(source), target);
    else if (found.isDirectory() && name.startsWith("@")) linkModules(source, target);
    else if (found.isDirectory()) fs.symlinkSync(source, target);
    else fs.copyFileSync(source, target);
  }
}
