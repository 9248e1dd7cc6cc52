import type { Permission } from "./permissions.ts";

/** What each permission allows, for people who define a role. */
export const permissionWords: Readonly<Record<Permission, string>> = {
  "products:view": "See products, their settings and their versions.",
  "products:manage": "Create, change, archive and delete products and their versions.",
  "products:rotate_key": "Replace a product's API key or signing secret.",
  "licenses:view": "See licenses and search them.",
  "licenses:create": "Create licenses.",
  "licenses:update": "Change and renew licenses, and replace a leaked key.",
  "licenses:revoke": "Revoke licenses and reinstate them.",
  "licenses:delete": "Delete licenses for good.",
  "licenses:reset_ips": "Add, remove and reset the addresses of a license.",
  "licenses:import": "Import licenses from a file.",
  "licenses:export": "Export licenses to a file.",
  "customers:view": "See customers and what they hold.",
  "customers:manage": "Change what is kept about customers.",
  "transfers:review": "Approve or reject transfers of licenses.",
  "webhooks:view": "See webhooks and what was delivered.",
  "webhooks:manage": "Create, change and delete webhooks.",
  "members:view": "See who belongs to the organization, the roles and the invitations.",
  "members:invite": "Invite people, with a role that allows no more than one's own.",
  "members:remove": "Remove members whose role allows no more than one's own.",
  "roles:edit":
    "Create, change and delete roles, and give members another one, up to what one may do oneself.",
  "billing:view": "See the plan, invoices and the state of billing.",
  "billing:manage": "Change the plan and how it is paid.",
  "analytics:view": "See statistics.",
  "requests:view": "See the log of requests.",
  "audit_log:view": "See who changed what.",
  "ip_blocks:manage": "See, set and lift blocks of addresses.",
  "organization:manage": "Change the organization's name, slug and settings.",
};
