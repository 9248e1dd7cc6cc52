import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { placesOf, root, sourceTexts } from "./sources.ts";
import { faults } from "./table.ts";

const texts = sourceTexts();

test("the text of every planted fault occurs exactly once in the sources", () => {
  const wrong = faults
    .map((fault) => ({ name: fault.name, places: placesOf(fault, texts) }))
    .filter(({ places }) => places.length !== 1);
  expect(wrong).toEqual([]);
});

test("every planted fault changes its text and has guards that exist", () => {
  const wrong = faults.filter(
    ({ find, replace, guards }) =>
      find === replace || guards.length === 0 || guards.some((guard) => !existsSync(join(root, guard))),
  );
  expect(wrong.map(({ name }) => name)).toEqual([]);
});

test("every planted fault has a name of its own", () => {
  const names = faults.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
