import { expect, test } from "bun:test";
import { nextPage } from "./next-page.ts";

test.each([
  ["?next=%2Flicenses%2Flic_1", "/licenses/lic_1"],
  ["?next=/open", "/open"],
  ["", "/"],
  ["?next=", "/"],
  ["?next=https://elsewhere.example", "/"],
  ["?next=//elsewhere.example", "/"],
  ["?next=/%5Celsewhere.example", "/"],
  ["?next=javascript:alert(1)", "/"],
])("after signing in, %j leads to %s", (search, page) => {
  expect(nextPage(search)).toBe(page);
});
