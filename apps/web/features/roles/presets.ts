import type { Permission } from "@countersign/domain/members/permissions";

/** Where most organizations begin. What they are called is in the words of the page. */
export const presets = {
  support: [
    "products:view",
    "licenses:view",
    "licenses:update",
    "licenses:reset_ips",
    "customers:view",
    "transfers:review",
    "ip_blocks:manage",
  ],
  sales: [
    "products:view",
    "licenses:view",
    "licenses:create",
    "licenses:update",
    "licenses:revoke",
    "licenses:export",
    "customers:view",
    "customers:manage",
    "analytics:view",
  ],
  developer: [
    "products:view",
    "products:manage",
    "products:rotate_key",
    "licenses:view",
    "licenses:create",
    "webhooks:view",
    "webhooks:manage",
    "requests:view",
  ],
  reader: [
    "products:view",
    "licenses:view",
    "customers:view",
    "webhooks:view",
    "members:view",
    "analytics:view",
    "requests:view",
    "audit_log:view",
  ],
} as const satisfies Record<string, readonly Permission[]>;

export type Preset = keyof typeof presets;

export function isPreset(text: string | undefined): text is Preset {
  return text !== undefined && Object.hasOwn(presets, text);
}
