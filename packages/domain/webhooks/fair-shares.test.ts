import { expect, test } from "bun:test";
import { fairShares } from "./fair-shares.ts";

const wish = (organizationId: string, endpointId: string, atMost: number) => {
  return { organizationId, endpointId, atMost };
};
const shares = (wishes: readonly ReturnType<typeof wish>[], total: number) =>
  Object.fromEntries(fairShares(wishes, total));

test("one endpoint alone takes all it wants, and no more than there is", () => {
  expect(shares([wish("a", "a1", 5)], 10)).toEqual({ a1: 5 });
  expect(shares([wish("a", "a1", 50)], 10)).toEqual({ a1: 10 });
});

test("an organization with many endpoints gets no more than one with a single endpoint", () => {
  const wishes = [wish("a", "a1", 100), wish("a", "a2", 100), wish("a", "a3", 100), wish("b", "b1", 100)];
  expect(shares(wishes, 12)).toEqual({ a1: 2, a2: 2, a3: 2, b1: 6 });
});

test("what one does not want, the others take", () => {
  expect(shares([wish("a", "a1", 1), wish("b", "b1", 100), wish("c", "c1", 0)], 10)).toEqual({
    a1: 1,
    b1: 9,
  });
});

test("when there is not one for each organization, the first ones are served", () =>
  expect(shares([wish("a", "a1", 9), wish("b", "b1", 9), wish("c", "c1", 9)], 2)).toEqual({ a1: 1, b1: 1 }));

test("an organization gets no more than it may, and the others take the rest", () => {
  const wishes = [wish("a", "a1", 9), wish("a", "a2", 9), wish("b", "b1", 3), wish("c", "c1", 9)];
  const mostOf = (organizationId: string) => (organizationId === "a" ? 3 : 100);
  expect(Object.fromEntries(fairShares(wishes, 20, mostOf))).toEqual({ a1: 2, a2: 1, b1: 3, c1: 9 });
  expect(Object.fromEntries(fairShares(wishes, 20, () => 0))).toEqual({});
});
