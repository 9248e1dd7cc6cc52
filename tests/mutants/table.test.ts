import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { placesOf, root, sourceTexts } from "./sources.ts";
import { faults } from "./table.ts";

test("every planted fault has a name of its own, changes a text that occurs once, and has guards that exist", () => {
  const texts = sourceTexts();
  const names = faults.map(({ name }) => name);
  const wrong = faults.filter(
    (fault, index) =>
      names.indexOf(fault.name) !== index ||
      placesOf(fault, texts).length !== 1 ||
      fault.find === fault.replace ||
      fault.guards.length === 0 ||
      fault.guards.some((guard) => !existsSync(join(root, guard))),
  );
  expect(wrong).toEqual([]);
});
