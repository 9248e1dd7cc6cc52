import type { Language } from "../mail/languages.ts";
import { type Permission, permissions } from "./permissions.ts";

/** The roles of every new organization, so that the first member can be invited immediately. */
export const startingRoles = {
  administrator: permissions,
  support: [
    "products:view",
    "licenses:view",
    "licenses:update",
    "licenses:revoke",
    "licenses:reset_ips",
    "customers:view",
    "customers:manage",
    "transfers:review",
    "analytics:view",
    "requests:view",
    "ip_blocks:manage",
  ],
  read_only: permissions.filter((permission) => permission.endsWith(":view")),
} as const satisfies Record<string, readonly Permission[]>;

export type StartingRole = keyof typeof startingRoles;

/** In the organization's language, because invitations name the role. After that they are names like any other. */
export const startingRoleNames: Readonly<Record<Language, Readonly<Record<StartingRole, string>>>> = {
  en: { administrator: "Administrator", support: "Support", read_only: "Read-only" },
  de: { administrator: "Administrator", support: "Support", read_only: "Nur Lesen" },
  es: { administrator: "Administrador", support: "Soporte", read_only: "Solo lectura" },
};

/** Which of them allows exactly this, whatever its current name. */
export function startingRoleLike(allowed: readonly Permission[]): StartingRole | null {
  const set = new Set(allowed);
  const names = Object.keys(startingRoles) as StartingRole[];
  return (
    names.find((name) => {
      const granted = startingRoles[name];
      return granted.length === set.size && granted.every((permission) => set.has(permission));
    }) ?? null
  );
}
