import { expect, test } from "bun:test";
import fc from "fast-check";
import { forAll } from "../../../tests/support/for-all.ts";
import { checkPowerChange, type Permission, permissions } from "./permissions.ts";

type Codes = readonly Permission[];
const view: Permission = "licenses:view";
const create: Permission = "licenses:create";
const edit: Permission = "roles:edit";

test.each<[string, Codes, Codes | null, Codes | null, "yes" | "outranked" | "exceeds"]>([
  ["a role of what one holds may be made", [view, edit], null, [view], "yes"],
  ["a role that allows nothing may be made by everyone", [], null, [], "yes"],
  ["what one does not hold cannot be put into a role", [view, edit], null, [view, create], "exceeds"],
  ["one's own role cannot be raised", [view, edit], [view, edit], [view, edit, create], "exceeds"],
  ["one's own role can be lowered", [view, edit], [view, edit], [view], "yes"],
  ["a role that holds more cannot be changed", [edit], [view, edit], [view, edit], "outranked"],
  ["a role that holds more cannot be lowered", [edit], [view, edit], [edit], "outranked"],
  ["a role that holds more cannot be taken away", [edit], [view], null, "outranked"],
  ["a member with fewer permissions can be removed", [view, edit], [view], null, "yes"],
  ["a member with the same permissions can be removed", [view, edit], [view, edit], null, "yes"],
  ["the present role is checked before the new one", [edit], [view], [create], "outranked"],
])("%s", (_name, held, from, to, verdict) => {
  const judgement = checkPowerChange(new Set(held), { from, to });
  expect(judgement.allowed ? "yes" : judgement.because).toBe(verdict);
});

test("no chain of allowed changes gives anybody a permission that nobody in it held", () => {
  const codes = fc.uniqueArray(fc.constantFrom(...permissions));
  forAll(100, [codes, fc.array(codes, { maxLength: 8 })], (start, steps) => {
    let held = new Set(start);
    for (const step of steps) {
      const { allowed } = checkPowerChange(held, { from: held, to: step });
      if (allowed) held = new Set(step);
      expect([...held].every((permission) => start.includes(permission))).toBe(true);
    }
  });
});
