import { expect, test } from "bun:test";
import { undismissed, withDismissed } from "./announcements.tsx";
import { nextOption } from "./palette.tsx";
import { fuzzyScore } from "./palette-results.tsx";

test("a dismissed announcement is shown again only if it changes, and is forgotten once it is no longer listed", () => {
  const maintenance = { id: "a", message: "Maintenance on Sunday" };
  const release = { id: "b", message: "A new release" };
  const dismissed = withDismissed({}, maintenance, [maintenance, release]);
  expect(undismissed([maintenance, release], dismissed)).toEqual([release]);
  const changed = { ...maintenance, message: "Maintenance on Monday" };
  expect(undismissed([changed, release], dismissed)).toEqual([changed, release]);
  expect(withDismissed(dismissed, release, [release])).toEqual({ b: release.message });
  const both = { a: maintenance.message, b: release.message };
  expect(withDismissed(dismissed, release, [maintenance, release])).toEqual(both);
});

test.each([
  ["", "Customers", true],
  ["cust", "Customers", true],
  ["cstmr", "Customers", true],
  ["nl", "New license", true],
  ["ubersicht", "Übersicht", true],
  ["ip add", "IP addresses", true],
  ["xyz", "Customers", false],
  ["sremotsuc", "Customers", false],
])("that %p finds %p is %p", (typed, name, isFound) => expect(fuzzyScore(typed, name) > 0).toBe(isFound));

test("what was typed fits best at the beginning of a name, then of a word, then inside, then scattered", () => {
  const fits = ["License", "New license", "Relicense", "l-i-c"].map((name) => fuzzyScore("lic", name));
  expect(fits).toEqual([...fits].sort((one, other) => other - one));
  expect(new Set(fits).size).toBe(4);
});

test.each([
  ["ArrowDown", -1, 3, 0],
  ["ArrowDown", 0, 3, 1],
  ["ArrowDown", 2, 3, 0],
  ["ArrowUp", -1, 3, 2],
  ["ArrowUp", 0, 3, 2],
  ["ArrowUp", 2, 3, 1],
  ["Home", 2, 3, 0],
  ["End", -1, 3, 2],
  ["ArrowDown", -1, 0, null],
  ["a", 1, 3, null],
])("the key %s at option %d of %d leads to %p", (key, active, count, next) => {
  expect(nextOption(key, active, count)).toBe(next);
});
