import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { generatedFiles, sdks } from "./generate.ts";

const files = generatedFiles();

test.each(Object.keys(files))("%s is what the contract says (else run sdks/events/generate.ts)", (path) => {
  const file = join(sdks, path);
  expect(existsSync(file) ? readFileSync(file, "utf8") : "").toBe(files[path] ?? "");
});

test("no event class is left over from an earlier contract", () => {
  const folder = "java/src/main/java/io/countersign/events";
  const generated = Object.keys(files).filter((path) => path.startsWith(folder));
  const present = readdirSync(join(sdks, folder)).map((name) => `${folder}/${name}`);
  expect(present.filter((path) => !path.endsWith("/EventMembers.java")).sort()).toEqual(generated.sort());
});
