import { expect, test } from "bun:test";
import { shadowSearch } from "./search.ts";
import { changeOf, firstDraft } from "./shadow-tab.tsx";

test("a link fills in the change and its value", () => {
  const changeFrom = (search: Record<string, unknown>) => changeOf(firstDraft(shadowSearch(search)));
  expect(changeFrom({ change: "max_ips", value: 2 })).toEqual({ type: "max_ips", max_ips: 2 });
  expect(changeFrom({ change: "block_version", value: 2.1 })).toEqual({
    type: "block_version",
    version: "2.1",
  });
  const cidr = "203.0.113.0/24";
  expect(changeFrom({ change: "block_ip", value: cidr })).toEqual({ type: "block_ip", cidr });
  expect(changeFrom({ change: "registration" })).toEqual({ type: "registration", registration: "off" });
  expect(changeFrom({ change: "delete", value: ["x"] })).toEqual({ type: "max_ips", max_ips: 1 });
});

test("a change without its value cannot be tried", () => {
  const draft = firstDraft({});
  expect(changeOf({ ...draft, max_ips: "" })).toBeNull();
  expect(changeOf({ ...draft, type: "block_version", version: " " })).toBeNull();
  expect(changeOf({ ...draft, type: "block_ip" })).toBeNull();
});
