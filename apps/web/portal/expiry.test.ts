import { expect, test } from "bun:test";
import { expiryOf } from "./expiry.ts";

test.each([
  [null, { kind: "never" }],
  [212, { kind: "ahead", daysLeft: 212, isSoon: false }],
  [14, { kind: "ahead", daysLeft: 14, isSoon: false }],
  [13, { kind: "ahead", daysLeft: 13, isSoon: true }],
  [1, { kind: "ahead", daysLeft: 1, isSoon: true }],
  [0, { kind: "ahead", daysLeft: 0, isSoon: true }],
  [-1, { kind: "over" }],
  [-400, { kind: "over" }],
] as const)("the expiry of a license with %p whole days left is %j", (daysLeft, expiry) => {
  expect(expiryOf(daysLeft)).toEqual(expiry);
});
