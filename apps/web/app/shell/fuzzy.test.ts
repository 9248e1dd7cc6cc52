import { describe, expect, test } from "bun:test";
import { fuzzyScore } from "./fuzzy.ts";

describe("what was typed", () => {
  test.each([
    ["", "Customers"],
    ["cust", "Customers"],
    ["cstmr", "Customers"],
    ["nl", "New license"],
    ["ubersicht", "Übersicht"],
    ["ip add", "IP addresses"],
  ])("%p finds %p", (typed, name) => expect(fuzzyScore(typed, name)).toBeGreaterThan(0));

  test.each([
    ["xyz", "Customers"],
    ["sremotsuc", "Customers"],
  ])("%p does not find %p", (typed, name) => expect(fuzzyScore(typed, name)).toBe(0));

  test("fits best at the beginning of a name, then of a word, then inside, then scattered", () => {
    const fits = ["License", "New license", "Relicense", "l-i-c"].map((name) => fuzzyScore("lic", name));
    expect(fits).toEqual([...fits].sort((one, other) => other - one));
    expect(new Set(fits).size).toBe(4);
  });
});
