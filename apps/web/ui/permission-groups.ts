import { type Permission, permissions } from "@countersign/domain/members/permissions";

export const permissionGroups = [
  "products",
  "licenses",
  "customers",
  "webhooks",
  "people",
  "insight",
  "organization",
] as const;
export type PermissionGroup = (typeof permissionGroups)[number];

/** A new permission must be added to a group here. */
const groupOf: Readonly<Record<Permission, PermissionGroup>> = {
  "products:view": "products",
  "products:manage": "products",
  "products:rotate_key": "products",
  "licenses:view": "licenses",
  "licenses:create": "licenses",
  "licenses:update": "licenses",
  "licenses:revoke": "licenses",
  "licenses:delete": "licenses",
  "licenses:reset_ips": "licenses",
  "licenses:import": "licenses",
  "licenses:export": "licenses",
  "customers:view": "customers",
  "customers:manage": "customers",
  "transfers:review": "customers",
  "webhooks:view": "webhooks",
  "webhooks:manage": "webhooks",
  "members:view": "people",
  "members:invite": "people",
  "members:remove": "people",
  "roles:edit": "people",
  "billing:view": "organization",
  "billing:manage": "organization",
  "analytics:view": "insight",
  "requests:view": "insight",
  "audit_log:view": "insight",
  "ip_blocks:manage": "licenses",
  "organization:manage": "organization",
};

export function permissionsOf(group: PermissionGroup): readonly Permission[] {
  return permissions.filter((permission) => groupOf[permission] === group);
}

/** The translation key: i18next uses the colon for something else. */
export function permissionTextKeys(permission: Permission): { name: string; effect: string } {
  const place = permission.replace(":", ".");
  return { name: `names.${place}`, effect: `effects.${place}` };
}
