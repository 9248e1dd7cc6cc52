import { expect, test } from "bun:test";
import { slugCandidates } from "./create.ts";

test("suffixes of slugs are random after some numbers, so that a common name needs few attempts", () => {
  const candidates = [...slugCandidates("acme", (count) => new Uint8Array(count).fill(255))];
  expect(candidates.slice(0, 3)).toEqual(["acme", "acme-2", "acme-3"]);
  expect(candidates.at(-1)).toBe("acme-ffffffff");
});
