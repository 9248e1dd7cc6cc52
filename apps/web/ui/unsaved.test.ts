import { expect, test } from "bun:test";
import { discardedByNavigation, type Guard, guards, type UnsavedKind, whileRunning } from "./unsaved.ts";

const guard = (kind: UnsavedKind, isUnsaved: boolean, goesWithSearch = false): Guard => ({
  kind,
  goesWithSearch,
  isUnsaved: () => isUnsaved,
  release: () => undefined,
});
const here = { pathname: "/o/nord/licenses", search: { do: "edit" } };
const elsewhere = { pathname: "/o/nord/products", search: {} };
const otherPart = { pathname: here.pathname, search: {} };

test.each([
  ["nothing is there", [], elsewhere, null],
  ["nothing was typed", [guard("typed", false)], elsewhere, null],
  ["something was typed, and another page follows", [guard("typed", true)], elsewhere, "typed"],
  ["a form is on the page, and the same page follows", [guard("typed", true)], otherPart, null],
  ["the address opened a dialog, and closes it", [guard("typed", true, true)], otherPart, "typed"],
  ["the address stays as it is", [guard("typed", true, true)], here, null],
  ["a secret is beside a form", [guard("typed", true), guard("secret", true)], elsewhere, "secret"],
  ["work runs beside a form", [guard("typed", true), guard("running", true)], elsewhere, "running"],
  ["work runs, and the same page follows", [guard("running", true)], otherPart, null],
  ["a secret is stored", [guard("secret", false)], elsewhere, null],
] as const)("the right loss is named if %s", (_, guards, next, kind) =>
  expect(discardedByNavigation(guards, here, next)).toBe(kind),
);

test.each([
  ["ends", () => Promise.resolve(7), 7],
  ["fails", () => Promise.reject(new Error("no")), undefined],
] as const)("work is asked about while it runs, and not once it %s", async (_, work, result) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const running = whileRunning(() => promise.then(work));
  expect(discardedByNavigation(guards, here, elsewhere)).toBe("running");
  resolve();
  expect(await running.catch(() => undefined)).toBe(result);
  expect(discardedByNavigation(guards, here, elsewhere)).toBeNull();
});
