import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { Glob } from "bun";

const features = join(import.meta.dir, "features");

test("feature folders import each other in one direction only, types included", () => {
  const imports = folderImports();
  expect(imports.size).toBeGreaterThan(20);
  expect(foldersInCycles(imports)).toEqual([]);
});

test("a cycle across several folders is detected", () => {
  const imports = { a: ["b"], b: ["c"], c: ["d", "b"], d: [] };
  const found = foldersInCycles(new Map(Object.entries(imports).map(([name, all]) => [name, new Set(all)])));
  expect(found).toEqual(["a imports b", "b imports c", "c imports b"]);
});

type FolderImports = Map<string, Set<string>>;

/** Which other feature folders each feature folder imports. Tests may import anything. */
function folderImports(): FolderImports {
  const found: FolderImports = new Map();
  for (const file of new Glob("**/*.ts").scanSync(features)) {
    if (file.endsWith(".test.ts")) continue;
    const folder = folderOf(file);
    const imported = found.get(folder) ?? new Set();
    found.set(folder, imported);
    // In imports, exports and dynamic imports of a relative path.
    const paths = readFileSync(join(features, file), "utf8").matchAll(
      /(?:from|import\(|import)\s*"(\.[^"]+)"/g,
    );
    for (const [, path = ""] of paths) {
      const target = relative(features, join(features, dirname(file), path));
      if (!target.startsWith("..") && folderOf(target) !== folder) imported.add(folderOf(target));
    }
  }
  return found;
}

function folderOf(file: string): string {
  return file.split("/")[0] ?? "";
}

/** What is left when folders that import no other are taken away until there is none: cycles, and what leads to them. */
function foldersInCycles(imports: FolderImports): string[] {
  const isFree = (folder: string) => [...(imports.get(folder) ?? [])].every((other) => !imports.has(other));
  for (
    let free = [...imports.keys()].filter(isFree);
    free.length > 0;
    free = [...imports.keys()].filter(isFree)
  )
    for (const folder of free) imports.delete(folder);
  return [...imports].flatMap(([folder, others]) =>
    [...others].filter((other) => imports.has(other)).map((other) => `${folder} imports ${other}`),
  );
}
