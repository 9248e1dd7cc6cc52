import { expect, test } from "bun:test";
import type { Permission } from "@countersign/domain/members/permissions";
import { listed } from "../../../tests/support/listed.ts";
import { mayDo, mayOpen } from "./may-open.ts";

const held = (...permissions: Permission[]) => ({ is_owner: false, permissions });

test.each<[string, Permission[], boolean]>([
  ["", [], true],
  ["/", [], true],
  ["/licenses", ["licenses:view"], true],
  ["/licenses/42", ["licenses:view"], true],
  ["/licenses", ["licenses:create"], false],
  ["/licenses/new", ["licenses:create"], true],
  ["/licenses/new", ["licenses:view"], false],
  ["/licenses/import/", ["licenses:view"], false],
  ["/products/42/keys", ["products:rotate_key"], true],
  ["/products/new", ["products:view"], false],
  ["/members", ["members:invite"], true],
  ["/ip-blocks", ["members:view"], false],
  ["/transfers/42", ["transfers:review"], true],
  ["/transfers", ["licenses:view", "customers:manage"], false],
  ["/settings", ["licenses:view"], false],
  ["/settings/portal", ["licenses:view"], true],
  ["/settings/billing", ["billing:view"], true],
  ["/settings/billing", ["billing:manage"], true],
  ["/settings/billing", ["organization:manage"], false],
  ["/settings", ["billing:manage"], false],
  ["/usage", ["analytics:view"], true],
  ["/usage", ["licenses:view"], false],
  ["/no-such-page", [], true],
])("%s with %p: %p", (path, permissions, isOpen) => expect(mayOpen(held(...permissions), path)).toBe(isOpen));

test.each([
  ...listed("/licenses/new /licenses/import /products /products/new /customers /transfers /webhooks"),
  ...listed("/audit-log /members /roles /access-tokens /settings"),
])("a role that can only view licenses does not open %s", (path) =>
  expect(mayOpen(held("licenses:view"), path)).toBe(false),
);

test("the owner opens everything", () =>
  expect(mayOpen({ is_owner: true, permissions: [] }, "/settings")).toBe(true));

test("in a suspended organization nobody is offered what would be refused, and everybody can look", () => {
  const suspended = { suspended_at: "2026-11-01T00:00:00.000Z", billing_state: "active" } as const;
  const owner = { is_owner: true, permissions: [], ...suspended };
  const looking: Permission[][] = [["licenses:view", "licenses:update"], ["licenses:export"]];
  const changing: Permission[][] = [["licenses:create"], ["billing:manage"]];
  expect([...looking, ...changing].map((all) => mayDo(owner, all))).toEqual([true, true, false, false]);
  const creator = { ...held("licenses:create"), billing_state: "active" } as const;
  expect(mayDo({ ...creator, suspended_at: null }, ["licenses:create"])).toBe(true);
  expect(mayDo({ ...creator, suspended_at: owner.suspended_at }, ["licenses:view"])).toBe(false);
});

test("while a payment is overdue for too long, everybody can look, and those who may can pay", () => {
  const owner = { is_owner: true, permissions: [], suspended_at: null, billing_state: "suspended" } as const;
  const wanted: Permission[] = ["licenses:create", "licenses:view", "billing:manage"];
  expect(wanted.map((one) => mayDo(owner, [one]))).toEqual([false, true, true]);
  expect(mayDo({ ...owner, ...held("billing:view") }, ["billing:manage"])).toBe(false);
  expect(mayDo({ ...owner, billing_state: "grace" }, ["licenses:create"])).toBe(true);
});
