import { expect, test } from "bun:test";
import { fairShares } from "./fair-shares.ts";

/** What endpoints get that want this much. The first letter of an endpoint's ID is its organization's. */
const shares = (wishes: object, total: number, maxOf?: (organizationId: string) => number) => {
  const wanted = Object.entries(wishes).map(([endpointId, atMost]) => {
    return { organizationId: endpointId.charAt(0), endpointId, atMost };
  });
  return Object.fromEntries(fairShares(wanted, total, maxOf));
};

test.each([
  ["one endpoint alone takes all it wants", { a1: 5 }, 10, { a1: 5 }],
  ["one endpoint alone takes no more than there is", { a1: 50 }, 10, { a1: 10 }],
  [
    "an organization with many endpoints gets no more than one with a single endpoint",
    { a1: 100, a2: 100, a3: 100, b1: 100 },
    12,
    { a1: 2, a2: 2, a3: 2, b1: 6 },
  ],
  ["what one does not want, the others take", { a1: 1, b1: 100, c1: 0 }, 10, { a1: 1, b1: 9 }],
  [
    "if there is not one for each organization, the first are served",
    { a1: 9, b1: 9, c1: 9 },
    2,
    { a1: 1, b1: 1 },
  ],
])("%s", (_, wishes, total, expected) => expect<object>(shares(wishes, total)).toEqual(expected));

test("an organization gets no more than it may, and the others take the rest", () => {
  const wishes = { a1: 9, a2: 9, b1: 3, c1: 9 };
  const maxOf = (organizationId: string) => (organizationId === "a" ? 3 : 100);
  expect(shares(wishes, 20, maxOf)).toEqual({ a1: 2, a2: 1, b1: 3, c1: 9 });
  expect(shares(wishes, 20, () => 0)).toEqual({});
});
