import { expect, test } from "bun:test";
import { undismissed, withDismissed } from "./dismissed.ts";

const maintenance = { id: "a", message: "Maintenance on Sunday" };
const release = { id: "b", message: "A new release" };

test("a dismissed announcement is not shown again, unless it changes", () => {
  const dismissed = withDismissed({}, maintenance, [maintenance, release]);
  expect(undismissed([maintenance, release], dismissed)).toEqual([release]);
  const changed = { ...maintenance, message: "Maintenance on Monday" };
  expect(undismissed([changed, release], dismissed)).toEqual([changed, release]);
});

test("what is no longer listed is removed", () => {
  const first = withDismissed({}, maintenance, [maintenance]);
  expect(withDismissed(first, release, [release])).toEqual({ b: release.message });
  expect(withDismissed(first, release, [maintenance, release])).toEqual({
    a: maintenance.message,
    b: release.message,
  });
});
