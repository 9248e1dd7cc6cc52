import { expect, test } from "bun:test";
import { listed } from "../../../tests/support/listed.ts";
import { languages } from "../mail/languages.ts";
import { isPermission, permissions } from "./permissions.ts";
import { startingRoleLike, startingRoleNames, startingRoles } from "./starting-roles.ts";

test("an administrator may do all that a role can allow, and a reader changes nothing", () => {
  expect(startingRoles.administrator).toEqual(permissions);
  expect(startingRoles.read_only.filter((code) => !code.endsWith(":view"))).toEqual([]);
  expect(startingRoles.read_only).toContain("audit_log:view");
});

test("support helps customers, and neither sells, deletes nor changes products, members or settings", () => {
  const allowed: readonly string[] = startingRoles.support;
  const needed = listed("licenses:view licenses:update licenses:reset_ips customers:view products:view");
  for (const code of needed) expect(allowed).toContain(code);
  expect(allowed.every(isPermission)).toBe(true);
  for (const code of ["licenses:create", "licenses:delete", "members:invite", "roles:edit"])
    expect(allowed).not.toContain(code);
  const managed = allowed.filter((code) => code.endsWith(":manage"));
  expect(managed).toEqual(["customers:manage", "ip_blocks:manage"]);
});

test("each starting role has a name of its own in every language", () => {
  for (const language of languages) {
    const names = Object.values(startingRoleNames[language]);
    expect(new Set(names).size).toBe(Object.keys(startingRoles).length);
  }
});

test("a starting role is recognized by exactly its permissions, in any order", () => {
  const [first, ...rest] = startingRoles.support;
  expect(startingRoleLike([...rest, first])).toBe("support");
  expect(startingRoleLike(permissions)).toBe("administrator");
  const unknown = [rest, [...startingRoles.support, "licenses:create" as const], []];
  expect(unknown.map(startingRoleLike)).toEqual([null, null, null]);
});
