import { expect, test } from "bun:test";
import { linkToken } from "./link-token.ts";

test.each([
  ["#abc", "/"],
  ["#abc&next=%2Flicenses%2Flic_1", "/licenses/lic_1"],
  ["#abc&next=/open", "/open"],
  ["#abc&next=", "/"],
  ["#abc&next=https%3A%2F%2Felsewhere.example", "/"],
  ["#abc&next=%2F%2Felsewhere.example", "/"],
  ["#abc&next=%2F%5Celsewhere.example", "/"],
  ["#abc&next=javascript%3Aalert(1)", "/"],
  ["#abc&next=%", "/"],
])("the link %s signs in, then leads to %s", (hash, next) => {
  expect(linkToken(hash)).toEqual({ token: "abc", next });
});

test.each(["", "#", "#&next=/"])("%j has no token", (hash) => expect(linkToken(hash)).toBeNull());
