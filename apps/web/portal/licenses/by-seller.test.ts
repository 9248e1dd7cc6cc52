import { expect, test } from "bun:test";
import type { LicenseSummary } from "../api.ts";
import { bySeller } from "./by-seller.ts";

test("each seller is listed once, in the order of its first license", () => {
  const of = (id: string, organizationId: string) =>
    ({ id, seller: { organization_id: organizationId } }) as LicenseSummary;
  const groups = bySeller([of("1", "b"), of("2", "a"), of("3", "b")]);
  expect(
    groups.map(({ seller, licenses }) => [seller.organization_id, licenses.map(({ id }) => id)]),
  ).toEqual([
    ["b", ["1", "3"]],
    ["a", ["2"]],
  ]);
});
