import { expect, test } from "bun:test";
import { slugCandidates, slugOf } from "./slug.ts";

test.each([
  ["Acme", "acme"],
  ["Nördlich & Söhne GmbH", "nordlich-sohne-gmbh"],
  ["  --A  b--  ", "a-b"],
  ["株式会社", "organization"],
  ["x".repeat(80), "x".repeat(48)],
  [`${"x".repeat(47)} y`, "x".repeat(47)],
])("%p becomes %p", (name, slug) => {
  expect(slugOf(name)).toBe(slug);
});

test("after the numbers come random ends, so that many of one name do not queue up", () => {
  const candidates = [...slugCandidates("acme", (count) => new Uint8Array(count).fill(255))];
  expect(candidates.slice(0, 3)).toEqual(["acme", "acme-2", "acme-3"]);
  expect(candidates.at(-1)).toBe("acme-ffffffff");
});
