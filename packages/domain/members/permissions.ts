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

/** A change to someone's permissions: null if there were none before, or will be none after. */
interface PowerChange {
  readonly from: Iterable<Permission> | null;
  readonly to: Iterable<Permission> | null;
}

type PowerChangeResult =
  | { readonly allowed: true }
  /** What is changed or removed exceeds the caller's own permissions. */
  | { readonly allowed: false; readonly because: "outranked"; readonly missing: readonly Permission[] }
  /** What is granted exceeds the caller's own permissions. */
  | { readonly allowed: false; readonly because: "exceeds"; readonly missing: readonly Permission[] };

/**
 * Nobody can grant or remove permissions they do not have. This one rule covers roles, members and invitations: nobody
 * can escalate their own permissions, by whatever detour, and nobody can weaken someone with more.
 */
export function checkPowerChange(held: ReadonlySet<Permission>, change: PowerChange): PowerChangeResult {
  const above = missingPermissions(held, change.from ?? []);
  if (above.length > 0) return { allowed: false, because: "outranked", missing: above };
  const beyond = missingPermissions(held, change.to ?? []);
  if (beyond.length > 0) return { allowed: false, because: "exceeds", missing: beyond };
  return { allowed: true };
}

/** What each permission allows, for users who define a role. */
export const permissionWords: Readonly<Record<Permission, string>> = {
  "products:view": "View products, their settings and versions.",
  "products:manage": "Create, change, archive and delete products and their versions.",
  "products:rotate_key": "Replace a product's API key or signing secret.",
  "licenses:view": "View and search licenses.",
  "licenses:create": "Create licenses.",
  "licenses:update": "Change and renew licenses, register IP addresses, and replace leaked keys.",
  "licenses:revoke": "Revoke and reinstate licenses.",
  "licenses:delete": "Delete licenses permanently.",
  "licenses:reset_ips": "Remove and reset the IP addresses of licenses.",
  "licenses:import": "Import licenses from a file.",
  "licenses:export": "Export licenses to a file.",
  "customers:view": "View customers and their licenses.",
  "customers:manage": "Create, change and delete customers.",
  "transfers:review": "Approve and reject license transfers.",
  "webhooks:view": "View webhooks and their deliveries.",
  "webhooks:manage": "Create, change and delete webhooks.",
  "members:view": "View members, roles and invitations.",
  "members:invite": "Invite members, with a role within your own permissions.",
  "members:remove": "Remove members whose role is within your own permissions.",
  "roles:edit": "Create, change, delete and assign roles within your own permissions.",
  "billing:view": "View the plan, invoices and billing state.",
  "billing:manage": "Change the plan and the payment method.",
  "analytics:view": "View statistics.",
  "requests:view": "View the request log.",
  "audit_log:view": "View the audit log.",
  "ip_blocks:manage": "View, create, change and remove IP blocks.",
  "organization:manage": "Change the organization's name, slug and settings.",
};
