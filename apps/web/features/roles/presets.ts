import type { Permission } from "@countersign/domain/members/permissions";
import { startingRoles } from "@countersign/domain/members/starting-roles";

/** Common roles to start from. Their names are in the translation files. */
export const presets = {
  ...startingRoles,
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
} as const satisfies Record<string, readonly Permission[]>;

export type Preset = keyof typeof presets;

export function isPreset(text: string | undefined): text is Preset {
  return text !== undefined && Object.hasOwn(presets, text);
}
