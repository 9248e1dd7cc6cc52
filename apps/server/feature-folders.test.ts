import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { Glob } from "bun";

const features = join(import.meta.dir, "features");

test("feature folders import each other in one direction only, types included", async () => {
  const imports = await folderImports();
  expect(imports.size).toBeGreaterThan(20);
  expect(cycleIn(imports)).toBeNull();
});

test("a cycle across several folders is detected and named", () => {
  const imports = new Map([
    ["a", new Set(["b"])],
    ["b", new Set(["c"])],
    ["c", new Set(["b"])],
  ]);
  expect(cycleIn(imports)).toEqual(["b", "c", "b"]);
});

type FolderImports = ReadonlyMap<string, ReadonlySet<string>>;

/** Which other feature folders each feature folder imports. Tests may import anything. */
async function folderImports(): Promise<FolderImports> {
  const found = new Map<string, Set<string>>();
  for await (const file of new Glob("**/*.ts").scan(features)) {
    if (file.endsWith(".test.ts")) continue;
    const folder = folderOf(file);
    const imported = found.get(folder) ?? new Set();
    found.set(folder, imported);
    for (const [, path = ""] of readFileSync(join(features, file), "utf8").matchAll(importPath)) {
      const target = relative(features, join(features, dirname(file), path));
      if (!target.startsWith("..") && folderOf(target) !== folder) imported.add(folderOf(target));
    }
  }
  return found;
}

/** In imports, exports and dynamic imports of a relative path. */
const importPath = /(?:from|import\(|import)\s*"(\.[^"]+)"/g;

function folderOf(file: string): string {
  return file.split("/")[0] ?? "";
}

function cycleIn(imports: FolderImports): readonly string[] | null {
  const done = new Set<string>();
  const follow = (folder: string, path: readonly string[]): readonly string[] | null => {
    if (path.includes(folder)) return [...path.slice(path.indexOf(folder)), folder];
    if (done.has(folder)) return null;
    for (const next of imports.get(folder) ?? []) {
      const cycle = follow(next, [...path, folder]);
      if (cycle !== null) return cycle;
    }
    done.add(folder);
    return null;
  };
  for (const folder of imports.keys()) {
    const cycle = follow(folder, []);
    if (cycle !== null) return cycle;
  }
  return null;
}
