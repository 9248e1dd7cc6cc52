import { expect, test } from "bun:test";
import { type SearchedList, searchPage } from "./search.ts";

/** A list of texts, the newest last. */
function listOf(texts: readonly string[]): SearchedList<{ text: string; at: number }, number> {
  const rows = texts.map((text, at) => ({ text, at }));
  return {
    kindOfTime: "number",
    startingWith: async (term, after, limit) =>
      rows
        .filter(({ text }) => text.startsWith(term) && (after === null || text > after.text))
        .sort((a, b) => (a.text < b.text ? -1 : 1))
        .slice(0, limit),
    newest: async (before, limit) =>
      rows
        .filter(({ at }) => before === null || at < before.createdAt)
        .toReversed()
        .slice(0, limit),
    textOf: ({ text }) => text,
    timeOf: ({ at }) => at,
    idOf: ({ at }) => String(at),
    isMeant: ({ text }) => text.includes("needle"),
  };
}

const search = { term: "needle", isFiltered: false, limit: 50 };

test("a search scans a limited part of a list and continues past many rows that do not match", async () => {
  const list = listOf(["a needle", ...Array.from({ length: 6_000 }, (_, at) => `hay ${at}`)]);
  const part = await searchPage(list, { ...search, cursor: undefined });
  expect(part.rows).toEqual([]);
  expect(part.next_cursor).toBeString();
  const rest = await searchPage(list, { ...search, cursor: part.next_cursor ?? "" });
  expect(rest.rows.map(({ text }) => text)).toEqual(["a needle"]);
  expect(rest.next_cursor).toBeNull();
});

test("a search returns texts that start with the term first, and none twice", async () => {
  const list = listOf(["needle 2", "the needle", "needle 1", "hay"]);
  const first = await searchPage(list, { ...search, limit: 2, cursor: undefined });
  expect(first.rows.map(({ text }) => text)).toEqual(["needle 1", "needle 2"]);
  const second = await searchPage(list, { ...search, limit: 2, cursor: first.next_cursor ?? "" });
  expect(second).toMatchObject({ rows: [{ text: "the needle" }], next_cursor: null });
});
