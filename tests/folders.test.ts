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

/** Files that are short and serve a single one, and are files all the same, with the reason. */
const shortFiles: Readonly<Record<string, string>> = {
  "apps/web/api/shown-in.ts": "tests read it without React",
  "apps/web/portal-words.ts": "the build runs it, not the dashboard",
  "apps/web/routes/account.ts": "one area of pages like its neighbours",
};

test("a file of less than 40 lines that only its neighbour imports is part of that one", () => {
  const importers = new Map<string, Set<string>>();
  const lengths = new Map<string, number>();
  for (const place of Object.keys(layers))
    for (const { file, text, paths } of filesOf(place)) {
      lengths.set(join(place, file), text.split("\n").length - 1);
      // A dynamic import is why a file is one: it is loaded when it is needed.
      for (const { to, isDynamic } of paths) {
        const key = join(place, to);
        importers.set(key, (importers.get(key) ?? new Set()).add(isDynamic ? "dynamic" : join(place, file)));
      }
    }
  const short = [...importers]
    .filter(([file]) => (lengths.get(file) ?? 40) < 40)
    .filter(([file, from]) => from.size === 1 && [...from].every((one) => dirname(one) === dirname(file)))
    .map(([file]) => file);
  expect(short.sort()).toEqual(Object.keys(shortFiles).sort());
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

/** The source files of a package, without its tests, which may import anything. */
function filesOf(place: string) {
  return [...new Glob("**/*.{ts,tsx}").scanSync(join(root, place))]
    .filter((file) => !/(^|\/)(node_modules|dist|suite)\/|\.(test|suite)\./.test(file))
    .map((file) => {
      const text = readFileSync(join(root, place, file), "utf8");
      // Static and dynamic imports and exports of a relative path to code.
      const paths = [...text.matchAll(/(from|import\(|import)\s*"(\.[^"]+\.tsx?)"/g)].map(
        ([, keyword, path = ""]) => ({
          to: normalize(join(dirname(file), path)),
          isDynamic: keyword === "import(",
        }),
      );
      return { file, text, paths };
    });
}

function importsOf(place: string): Import[] {
  const imports = new Map<string, Import>();
  for (const { file, paths } of filesOf(place))
    for (const { to: path } of paths) {
      const from = dirname(file);
      const to = dirname(path);
      if (to !== from && !to.startsWith("..")) imports.set(`${from} ${to}`, { from, to });
    }
  return [...imports.values()];
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
