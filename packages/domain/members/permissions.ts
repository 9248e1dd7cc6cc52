/** Everything a role or an access token can allow, in display order. */
export const permissions = [
  "products:view",
  "products:manage",
  "products:rotate_key",
  "licenses:view",
  "licenses:create",
  "licenses:update",
  "licenses:revoke",
  "licenses:delete",
  "licenses:reset_ips",
  "licenses:import",
  "licenses:export",
  "customers:view",
  "customers:manage",
  "transfers:review",
  "webhooks:view",
  "webhooks:manage",
  "members:view",
  "members:invite",
  "members:remove",
  "roles:edit",
  "billing:view",
  "billing:manage",
  "analytics:view",
  "requests:view",
  "audit_log:view",
  "ip_blocks:manage",
  "organization:manage",
] as const;

export type Permission = (typeof permissions)[number];

export function isPermission(text: string): text is Permission {
  return (permissions as readonly string[]).includes(text);
}

/** In the order above and without duplicates. */
export function sortedPermissions(wanted: Iterable<Permission>): Permission[] {
  const set = new Set(wanted);
  return permissions.filter((permission) => set.has(permission));
}

/** The part of `wanted` that is not held: nobody can grant what they do not have. */
export function missingPermissions(
  held: ReadonlySet<Permission>,
  wanted: Iterable<Permission>,
): Permission[] {
  return sortedPermissions(wanted).filter((permission) => !held.has(permission));
}

export const everyPermission: ReadonlySet<Permission> = new Set(permissions);

/** What a platform admin can do in an organization they look at. */
export const viewPermissions: ReadonlySet<Permission> = new Set(
  permissions.filter((permission) => permission.endsWith(":view")),
);
