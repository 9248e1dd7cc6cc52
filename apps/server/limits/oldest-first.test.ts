import { expect, test } from "bun:test";
import { OldestFirst } from "./oldest-first.ts";

function openLimit() {
  const limit = new OldestFirst({ inAll: 5, perParty: 3 });
  const cut: string[] = [];
  const ends = new Map<string, () => void>();
  const enter = (party: string, name: string) =>
    ends.set(
      name,
      limit.enter(party, () => cut.push(name)),
    );
  return { limit, cut, ends, enter };
}

test("a party with too many loses its oldest", () => {
  const { limit, cut, enter } = openLimit();
  for (const name of ["a1", "a2", "a3", "a4"]) enter("a", name);
  expect(cut).toEqual(["a1"]);
  expect(limit.use.inUse).toBe(3);
});

test("if there are too many in all, the party with the most loses its oldest", () => {
  const { limit, cut, enter } = openLimit();
  enter("b", "b1");
  enter("b", "b2");
  for (const name of ["a1", "a2", "a3"]) enter("a", name);
  enter("c", "c1");
  expect(cut).toEqual(["a1"]);
  expect(limit.use).toEqual({ inUse: 5, limit: 5, refused: 1 });
});

test("what has ended counts no more and is not cut", () => {
  const { limit, cut, ends, enter } = openLimit();
  for (const name of ["a1", "a2", "a3"]) enter("a", name);
  ends.get("a1")?.();
  ends.get("a1")?.();
  enter("a", "a4");
  expect(cut).toEqual([]);
  expect(limit.use.inUse).toBe(3);
});

test("a party can have one if that is all there is room for", () => {
  const limit = new OldestFirst({ inAll: 1, perParty: 1 });
  const cut: string[] = [];
  limit.enter("a", () => cut.push("a1"));
  limit.enter("a", () => cut.push("a2"));
  limit.enter("b", () => cut.push("b1"));
  expect(cut).toEqual(["a1", "a2"]);
  expect(limit.use.inUse).toBe(1);
});
