import { expect, test } from "bun:test";
import type { Permission } from "@countersign/domain/members/permissions";
import { listed } from "../../../tests/support/listed.ts";
import { entryOf, mayDo, mayOpen, navigationItems, navigationSections } from "./navigation.ts";
import type { Plan } from "./plan.ts";
import { versionChecksOf } from "./plan.ts";
import { platformEntryOf } from "./platform-navigation.ts";
import { waitingText } from "./waiting-transfers.ts";

const held = (...permissions: Permission[]) => ({ is_owner: false, permissions });
const owner = { is_owner: true, permissions: [] };

test.each<[string, Permission[], boolean]>([
  ["", [], true],
  ["/", [], true],
  ["/licenses", ["licenses:view"], true],
  ["/licenses/42", ["licenses:view"], true],
  ["/licenses", ["licenses:create"], false],
  ["/licenses/new", ["licenses:create"], true],
  ["/licenses/import/", ["licenses:view"], false],
  ["/products/42/keys", ["products:rotate_key"], true],
  ["/products/new", ["products:view"], false],
  ["/members", ["members:invite"], true],
  ["/ip-blocks", ["members:view"], false],
  ["/transfers/42", ["transfers:review"], true],
  ["/transfers", ["licenses:view", "customers:manage"], false],
  ["/settings/portal", ["licenses:view"], true],
  ["/settings/billing", ["billing:view"], true],
  ["/settings/billing", ["billing:manage"], true],
  ["/settings/billing", ["organization:manage"], false],
  ["/settings", ["billing:manage"], false],
  ["/usage", ["analytics:view"], true],
  ["/usage", ["licenses:view"], false],
  ["/no-such-page", [], true],
])("that %j opens with %p is %p", (path, permissions, isOpen) =>
  expect(mayOpen(held(...permissions), path)).toBe(isOpen),
);

test("a role that can only view licenses opens no page about anything else, and the owner opens all", () => {
  const paths = listed(`
    /licenses/new /licenses/import /products /products/new /customers /transfers /webhooks
    /audit-log /members /roles /access-tokens /settings
  `);
  expect(paths.filter((path) => mayOpen(held("licenses:view"), path))).toEqual([]);
  expect(paths.filter((path) => !mayOpen(owner, path))).toEqual([]);
});

test("a suspended organization offers no member what would be refused, and all members can look", () => {
  const suspended = { suspended_at: "2026-11-01T00:00:00.000Z", billing_state: "active" } as const;
  const looking: Permission[][] = [["licenses:view", "licenses:update"], ["licenses:export"]];
  const changing: Permission[][] = [["licenses:create"], ["billing:manage"]];
  const offered = [...looking, ...changing].map((all) => mayDo({ ...owner, ...suspended }, all));
  expect(offered).toEqual([true, true, false, false]);
  const creator = { ...held("licenses:create"), ...suspended };
  expect(mayDo({ ...creator, suspended_at: null }, ["licenses:create"])).toBe(true);
  expect(mayDo(creator, ["licenses:view"])).toBe(false);
});

test("while a payment is overdue for too long, all members can look, and those with the permission can pay", () => {
  const overdue = { ...owner, suspended_at: null, billing_state: "suspended" } as const;
  const wanted: Permission[] = ["licenses:create", "licenses:view", "billing:manage"];
  expect(wanted.map((one) => mayDo(overdue, [one]))).toEqual([false, true, true]);
  expect(mayDo({ ...overdue, ...held("billing:view") }, ["billing:manage"])).toBe(false);
  expect(mayDo({ ...overdue, billing_state: "grace" }, ["licenses:create"])).toBe(true);
});

const downgraded = { had_version_module: true } as const;

test.each([
  ["off on a plan that never had them", {}, "off"],
  ["included in a plan that has them", { ...downgraded, plan: "pro" }, "included"],
  ["enforced after a downgrade", downgraded, "enforced"],
  ["reported if a downgrade does so", { ...downgraded, version_checks_on_downgrade: "report" }, "reported"],
  ["enforced without subscription", { ...downgraded, plan: "pro", billing_state: "cancelled" }, "enforced"],
] as const)("version checks are %s", (_, changes, checks) => {
  const never = { had_version_module: false, version_checks_on_downgrade: "enforce" } as const;
  const free = { plan: "free", billing_state: "active", ...never } as const;
  const plans = [
    { plan: "free", version_module: false },
    { plan: "pro", version_module: true },
  ] as Plan[];
  expect(versionChecksOf({ ...free, ...changes }, plans)).toBe(checks);
  // Nothing is called ineffective before the plans are known.
  expect(versionChecksOf(free, [])).toBe("included");
});

test("more than 99 waiting transfers are not counted", () => {
  expect([1, 99, 100].map(waitingText)).toEqual(["1", "99", "99+"]);
});

test.each([
  ["", ""],
  ["licenses/42", "licenses"],
  ["licenses/new", "licenses"],
  ["transfers/42", "transfers"],
  ["ip-blocks", "ips"],
  ["settings", "settings"],
  ["settings/billing", "settings/billing"],
  ["settings/portal", "settings/portal"],
  ["somewhere", null],
])("the page %p belongs to the entry %p of the sidebar", (path, expected) => {
  expect(entryOf(path)).toBe(expected);
});

test.each([
  ["/admin", "health"],
  ["/admin/", "health"],
  ["/admin/jobs", "jobs"],
  ["/admin/ip-blocks", "blocks"],
  ["/admin/outbox/42", "outbox"],
  ["/admin/somewhere", null],
  ["/o/acme/licenses", null],
])("on the platform, %p belongs to %p", (path, expected) => {
  expect(platformEntryOf(path)).toBe(expected);
});

test("the menu has nine entries, and each page its own key", () => {
  expect(navigationSections).toHaveLength(9);
  const keys = navigationItems.map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
});
