import { expect, test } from "bun:test";
import { generatedPages } from "../../docs/generate.ts";

test("what pages repeat from the sources is as they are; otherwise run npm run generate", async () => {
  const pages = await generatedPages();
  expect(pages.filter(({ text, expected }) => text !== expected).map(({ name }) => name)).toEqual([]);
});
