import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join, normalize } from "node:path";
import { Glob } from "bun";

const root = join(import.meta.dir, "../..");

/** The source files of the project, by path. */
const sources = new Map(
  ["apps", "packages", "tests", "bench", "scripts", "sdks"]
    .flatMap((folder) => [...new Glob(`${folder}/**/*.{ts,tsx,mjs}`).scanSync(root)])
    .filter((file) => !/(^|\/)(node_modules|dist|target|\.venv|run)\//.test(file))
    .map((file) => [file, readFileSync(join(root, file), "utf8")]),
);

test("what a file exports is imported by another one", () => {
  const imported = importedNames();
  const unused = [...sources]
    .filter(([file]) => /^(apps|packages)\//.test(file) && !/\.(test|suite)\.|\/suite\//.test(file))
    .flatMap(([file, text]) =>
      Array.from(text.matchAll(declaration), ([, name = ""]) => ({ file, name })).filter(({ name }) =>
        [...(imported.get(name) ?? [])].every((importer) => importer === file),
      ),
    );
  expect(unused.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
});

const declaration =
  /^export (?:declare |abstract |async )*(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm;

/** Which files import a name, from anywhere. A file that is imported as a whole is assumed to be used as a whole. */
function importedNames(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  const add = (name: string, file: string) => found.set(name, (found.get(name) ?? new Set()).add(file));
  for (const [file, text] of sources) {
    for (const [, names = ""] of text.matchAll(
      /(?:import|export)\s+(?:type\s+)?(?:\w+,\s*)?\{([^}]*)\}\s*from/g,
    ))
      for (const one of names.split(","))
        add(
          one
            .trim()
            .replace(/^type /, "")
            .replace(/ as .*/s, ""),
          file,
        );
    // What a dynamic import is used for can be anywhere in the file.
    if (text.includes("import(")) for (const [name] of text.matchAll(/\w+/g)) add(name, file);
    for (const [, path = ""] of text.matchAll(/(?:\* as \w+|export \*)\s*from\s*"(\.[^"]+)"/g)) {
      const whole = normalize(join(file, "..", path));
      for (const [, name = ""] of sources.get(whole)?.matchAll(declaration) ?? []) add(name, file);
    }
  }
  return found;
}
