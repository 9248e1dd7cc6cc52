import { expect, test } from "bun:test";
import { searchText, searchWords } from "./search-text.ts";

const text = searchText({
  key: "K7QM-2XWD-9F3A-PT5V",
  email: "ada@mill-house.example",
  name: "Ada King-Noel Lovelace",
  discordId: null,
  notes: "Paid by bank",
  tags: ["VIP"],
});
const isFound = (search: string) => searchWords(search).every((word) => text.includes(word));

test.each([
  ...["K7QM-2XWD-9F3A-PT5V", "k7qm2xwd9f3apt5v", "K7QM 2XWD 9F3A PT5V", "k7qm\u20132xwd", "wd9f3a"],
  ...["lovelace ada", "Ada  LOVELACE", "king-noel", "kingnoel", "mill-house", "vip lovelace k7qm"],
])("%j finds the license", (search) => expect(isFound(search)).toBe(true));

test.each(["k7qm3", "lovelace bob", "adaking", "---", "- -", "notvip"])("%j finds no license", (search) => {
  expect(isFound(search)).toBe(false);
});

test("no text is read as an empty search, which would find everything", () => {
  for (const search of ["---", " \u2013 ", "a b", "- a"])
    expect(searchWords(search).every((word) => word !== "")).toBe(true);
});

test("where every word is too short for the index, the words are looked for together", () => {
  expect(searchWords("A b")).toEqual(["a b"]);
  expect(searchWords("A bcd")).toEqual(["a", "bcd"]);
});
