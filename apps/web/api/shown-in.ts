/**
 * The groups of routes that also show what a change in another group has changed: after it, what is cached of them is
 * loaded again. The group itself and the audit log, which has an entry for each change, need no mention.
 */
const shownIn: Readonly<Record<string, readonly string[]>> = {
  Billing: ["Organizations"],
  Customers: ["IP addresses", "Licenses", "Transfers"],
  Invitations: ["Billing", "Members", "Roles"],
  "IP blocks": ["IP addresses", "Licenses"],
  "License files": ["Analytics", "Billing", "Customers", "Events", "IP addresses", "Licenses", "Overview"],
  Licenses: ["Analytics", "Billing", "Customers", "Events", "IP addresses", "Overview", "Transfers"],
  Members: ["Billing", "Organizations", "Roles"],
  Organizations: ["Billing", "Members", "Roles"],
  Platform: ["Account", "Billing", "IP addresses", "Licenses", "Organizations", "Your account"],
  "Product keys": ["Overview", "Products"],
  Products: ["Analytics", "Billing", "Licenses", "Overview", "Usage"],
  Roles: ["Invitations", "Members", "Organizations"],
  Transfers: ["Customers", "Events", "IP addresses", "Licenses", "Overview"],
  Webhooks: ["Overview"],
  "Your account": ["Members"],
};

/** The groups whose cached data may be out of date after a change in this one. */
export function groupsAfter(group: string): ReadonlySet<string> {
  return new Set([group, "Audit log", ...(shownIn[group] ?? [])]);
}
