import { expect, test } from "bun:test";
import { slugOf } from "./slug.ts";

test.each([
  ["Acme", "acme"],
  ["Nördlich & Söhne GmbH", "nordlich-sohne-gmbh"],
  ["  --A  b--  ", "a-b"],
  ["株式会社", "organization"],
  ["x".repeat(80), "x".repeat(48)],
  [`${"x".repeat(47)} y`, "x".repeat(47)],
])("the slug of %p is %p", (name, slug) => expect(slugOf(name)).toBe(slug));
