import { expect, test } from "bun:test";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const features = join(import.meta.dir, "../features");

test("every list with times shows them as dates, with the relative time beside them", () => {
  const lists = globSync("**/*.tsx", { cwd: features }).filter((file) =>
    /\bColumn<|<DataTable|LicenseRow/.test(textOf(file)),
  );
  expect(lists.length).toBeGreaterThan(15);
  expect(lists.filter((file) => textOf(file).includes("<Time "))).toEqual([]);
});

function textOf(file: string): string {
  return readFileSync(join(features, file), "utf8");
}
