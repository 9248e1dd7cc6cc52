import type { LogoType } from "@countersign/domain/branding/logo";
import type { Language } from "@countersign/domain/mail/languages";
import type { BillingState, Plan } from "@countersign/domain/quota/limit";
import type { Generated } from "kysely";
import type { Flag, WithDefaults } from "./columns.ts";

/** Organizations, and who can do what in them. */
export interface OrganizationsTables {
  organizations: OrganizationRow;
  roles: RoleRow;
  /** Every member of an organization except its owner, each with exactly one role. */
  members: {
    organization_id: string;
    user_id: string;
    role_id: string;
    created_at: number;
    /** When the role was last changed; 0 for never. */
    updated_at: Generated<number>;
  };
  invitations: InvitationRow;
  access_tokens: AccessTokenRow;
  organization_branding: WithDefaults<BrandingRow, "links">;
}

export interface OrganizationRow {
  id: string;
  name: string;
  slug: string;
  plan: Plan;
  daily_limit_override: number | null;
  signed_validation: Flag;
  suspended_at: number | null;
  suspension_reason: string | null;
  billing_state: BillingState;
  /** Incremented with every change to the organization's block list. */
  ip_blocks_revision: number;
  /** The number of blocks for single customers. If it is zero, they are not looked up. */
  customer_block_count: number;
  created_at: number;
  updated_at: number;
  /** Null only for organizations that a command created without an owner. */
  owner_id: string | null;
  /**
   * When it will be deleted permanently; until then the deletion can be cancelled. Null again once all of it is
   * deleted.
   */
  delete_after: number | null;
  /** Since when the owner has been a member; null for since it was created. */
  owner_joined_at: number | null;
  /** A deleted organization keeps its row, because its products keep theirs. */
  deleted_at: number | null;
  /** The language of emails to its customers and invited users. */
  locale: Language;
  /** An IANA name. A date without a time means the end of that day there. */
  time_zone: string;
  /** The maximum number of emails a day to its customers; null for the server's default. */
  daily_emails_override: number | null;
  /** Limits that the operator set for this organization; null for its plan's. */
  max_products_override: number | null;
  max_licenses_override: number | null;
  max_members_override: number | null;
  max_webhooks_override: number | null;
  request_log_days_override: number | null;
  audit_log_days_override: number | null;
  /** When the grace period ends; null unless the billing state is `grace`. */
  grace_ends_at: number | null;
  /** When the plan that the operator set ends; null for never. */
  plan_ends_at: number | null;
  /** Whether its plan includes the version module, or once did: its version checks then survive a downgrade. */
  had_version_module: Flag;
  /** What version checks do on a plan without the version module: refuse, or only report. */
  version_checks_on_downgrade: "enforce" | "report";
}

export interface RoleRow {
  id: string;
  organization_id: string;
  name: string;
  /** A JSON array of permission codes. */
  permissions: string;
  created_at: number;
  updated_at: number;
}

export interface InvitationRow {
  id: string;
  organization_id: string;
  email: string;
  role_id: string;
  token_hash: string;
  invited_by: string | null;
  created_at: number;
  expires_at: number;
  accepted_at: number | null;
  accepted_by: string | null;
  revoked_at: number | null;
  /** When its email was last written. */
  mailed_at: number;
}

/**
 * A personal token acts for its user in all their organizations. An organization token belongs to no user. Never
 * both.
 */
export interface AccessTokenRow {
  id: string;
  hash: string;
  shown_prefix: string;
  name: string;
  user_id: string | null;
  organization_id: string | null;
  /** A JSON array of permission codes. */
  permissions: string;
  created_by: string | null;
  created_at: number;
  expires_at: number | null;
  last_used_at: number | null;
  revoked_at: number | null;
}

/** How an organization presents itself to its customers. */
export interface BrandingRow {
  organization_id: string;
  /** Null for the organization's name. */
  display_name: string | null;
  logo_type: LogoType | null;
  /** Base64. */
  logo: string | null;
  logo_hash: string | null;
  accent_color: string | null;
  support_email: string | null;
  support_url: string | null;
  /** A JSON array of `{ title, url }`. */
  links: string;
  /** The language of the portal for new visitors; null for the organization's. */
  locale: Language | null;
  updated_at: number;
}

/** Whether an organization is not served: the operator suspended it, or its payment is overdue for too long. */
export function isSuspended({
  suspended_at,
  billing_state,
}: Pick<OrganizationRow, "suspended_at" | "billing_state">): boolean {
  return suspended_at !== null || billing_state === "suspended";
}
