import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** All modules that an entry loads, and everything else that they import. */
function importsOf(path: string, seen = new Set<string>(), others = new Set<string>()): Set<string> {
  if (seen.has(path)) return others;
  seen.add(path);
  const text = readFileSync(path, "utf8");
  for (const [, name = ""] of text.matchAll(/^(?:import|export)[^;]*? from "([^"]+)";/gms))
    if (name.startsWith(".")) importsOf(join(dirname(path), name), seen, others);
    else others.add(name);
  return others;
}

test.each(["index.ts", "http/index.ts"])("%s imports nothing of Node.js", (entry) => {
  expect([...importsOf(join(import.meta.dir, "../src", entry))]).toEqual([]);
});

test("the entry for machines imports modules of Node.js", () =>
  expect([...importsOf(join(import.meta.dir, "../src/device/index.ts"))]).toContain("node:fs/promises"));
