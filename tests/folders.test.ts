import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { Glob } from "bun";

const root = join(import.meta.dir, "..");

/**
 * The layers of each package, the lowest first: what a folder imports is in its own layer or in one below. A layer is a
 * folder with everything in it; the files beside the folders are the layer ".".
 */
const layers: Record<string, readonly string[]> = {
  "packages/domain": [],
  "packages/contract": ["problems", "public", "api", "events", "auth", "manage", "portal", "openapi"],
  "packages/store": [
    ...[
      "errors",
      "secrets",
      "migrations",
      "tables",
      "batches",
      ".",
      "threads",
      "rollups",
      "request-log",
      "queries",
    ],
    ...["sqlite", "postgres", "databases"],
  ],
  "apps/server": ["base", "http", "limits", "jobs", "api", "features", "threads", "cli", "."],
  "apps/web": ["i18n", "api", "ui", "session", "app", "features", "routes", "portal", "."],
};

describe.each(Object.keys(layers))("folders of %s", (place) => {
  const imports = importsOf(place);

  test("import each other in one direction only, types included", () => {
    expect(imports.length).toBeGreaterThan(10);
    expect(foldersInCycles(imports)).toEqual([]);
  });

  test("import only what is in their layer or below", () => {
    const order = layers[place] ?? [];
    const layerOf = (folder: string) => order.indexOf(folder.split("/")[0] ?? "");
    const upward = ({ from, to }: Import) => layerOf(to) > layerOf(from);
    expect(imports.filter(upward)).toEqual([]);
    if (order.length > 0) expect(imports.filter(({ from }) => layerOf(from) === -1)).toEqual([]);
  });
});

test("a cycle across several folders is detected", () => {
  const found = foldersInCycles([
    { from: "a", to: "b" },
    { from: "b", to: "c" },
    { from: "c", to: "d" },
    { from: "c", to: "b" },
  ]);
  expect(found).toEqual(["a imports b", "b imports c", "c imports b"]);
});

/** One folder's import of another. */
interface Import {
  readonly from: string;
  readonly to: string;
}

/** In the source files of a package, without its tests, which may import anything. */
function importsOf(place: string): Import[] {
  const found = new Map<string, Import>();
  for (const file of new Glob("**/*.{ts,tsx}").scanSync(join(root, place))) {
    if (/(^|\/)(node_modules|dist|suite)\/|\.(test|suite)\./.test(file)) continue;
    // Static and dynamic imports and exports of a relative path to code.
    const paths = readFileSync(join(root, place, file), "utf8").matchAll(
      /(?:from|import\(|import)\s*"(\.[^"]+\.tsx?)"/g,
    );
    for (const [, path = ""] of paths) {
      const from = dirname(file);
      const to = dirname(normalize(join(from, path)));
      if (to !== from && !to.startsWith("..")) found.set(`${from} ${to}`, { from, to });
    }
  }
  return [...found.values()];
}

/** What is left when folders that import no other are taken away until there is none: cycles, and what leads to them. */
function foldersInCycles(imports: readonly Import[]): string[] {
  let left = imports;
  for (;;) {
    const importing = new Set(left.map(({ from }) => from));
    const rest = left.filter(({ to }) => importing.has(to));
    if (rest.length === left.length) return left.map(({ from, to }) => `${from} imports ${to}`);
    left = rest;
  }
}
