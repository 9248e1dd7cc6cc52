import type { LogoType } from "@countersign/domain/branding/logo";
import type { Distribution } from "./distribution.ts";
/**
 * Every table, as both databases store it: IDs are text, flags are 0 or 1, times are milliseconds since 1970, JSON is
 * text. The migrations create exactly this.
 */

import type {
  BillingInterval,
  PlanSource,
  SubscriptionStatus,
} from "@countersign/domain/billing/subscription";
import type { EventType } from "@countersign/domain/events/types";
import type { Language } from "@countersign/domain/mail/languages";
import type { BillingState, Plan } from "@countersign/domain/quota/limit";
import type { ProductStatus } from "@countersign/domain/validate/facts";
import type { VersionState } from "@countersign/domain/versions/catalog";
import type { DeliveryState } from "@countersign/domain/webhooks/delivery-state";
import type { Generated } from "kysely";

export interface Tables {
  organizations: OrganizationRow;
  products: ProductRow;
  product_api_keys: ProductApiKeyRow;
  product_signing_keys: ProductSigningKeyRow;
  product_sandbox_keys: ProductSandboxKeyRow;
  product_versions: ProductVersionRow;
  customers: CustomerRow;
  organization_customers: WithDefaults<OrganizationCustomerRow, "search_text">;
  licenses: LicenseRow;
  license_ips: LicenseIpRow;
  ip_blocks: IpBlockRow;
  daily_usage: DailyUsageRow;
  platform_state: PlatformStateRow;
  users: UserRow;
  sessions: SessionRow;
  accounts: AccountRow;
  verifications: VerificationRow;
  two_factors: TwoFactorRow;
  passkeys: PasskeyRow;
  known_devices: KnownDeviceRow;
  attempts: AttemptsRow;
  roles: RoleRow;
  members: WithDefaults<MemberRow, "updated_at">;
  invitations: InvitationRow;
  access_tokens: AccessTokenRow;
  audit_log: AuditLogRow;
  audit_log_cutoffs: AuditLogCutoffRow;
  idempotency_keys: IdempotencyKeyRow;
  outbox: WithDefaults<StoredEmailRow, "attempts" | "next_attempt_at" | "is_bulk">;
  daily_emails: DailyEmailsRow;
  waiting_emails: WaitingEmailRow;
  license_tags: LicenseTagRow;
  license_counts: LicenseCountRow;
  license_count_changes: LicenseCountRow;
  imports: ImportRow;
  import_pieces: ImportPieceRow;
  import_undo: WithDefaults<ImportUndoRow, "written_at">;
  import_rejects: ImportRejectRow;
  events: EventRow;
  recorded_refusals: RecordedRefusalRow;
  event_summaries: EventSummaryRow;
  recorded_expiries: RecordedExpiryRow;
  unannounced_expiries: UnannouncedExpiryRow;
  quota_checks: QuotaCheckRow;
  quota_notices: QuotaNoticeRow;
  webhook_endpoints: StoredEndpointRow;
  webhook_secrets: WebhookSecretRow;
  deliveries: DeliveryRow;
  delivery_attempts: StoredAttemptRow;
  /** On SQLite, queries name the table of a day: see `request-log/tables.ts`. */
  request_log: RequestLogRow;
  request_keys: RequestKeyRow;
  request_days: RequestDayRow;
  request_segments: RequestSegmentRow;
  request_log_cuts: RequestLogCutRow;
  request_log_state: RequestLogStateRow;
  rollup_hours: RollUpHourRow;
  rollup_hour_uniques: HourUniquesRow;
  rollup_days: RollUpDayRow;
  license_days: LicenseDayRow;
  ip_sightings: IpSightingRow;
  portal_people: PortalPersonRow;
  portal_identities: PortalIdentityRow;
  portal_sessions: PortalSessionRow;
  portal_codes: WithDefaults<PortalCodeRow, "attempts" | "other_attempts">;
  portal_actions: PortalActionRow;
  transfers: TransferRow;
  organization_branding: WithDefaults<BrandingRow, "links">;
  product_downloads: ProductDownloadRow;
  license_refusals: LicenseRefusalRow;
  plans: PlanRow;
  organization_billing: WithDefaults<
    OrganizationBillingRow,
    "plan_set_by" | "had_trial" | "notices_sent" | "sync_started" | "sync_applied"
  >;
  stripe_prices: StripePriceRow;
  stripe_events: StripeEventRow;
  announcements: AnnouncementRow;
  impersonations: ImpersonationRow;
  job_runs: JobRunRow;
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

export interface ProductRow {
  id: string;
  organization_id: string;
  name: string;
  status: ProductStatus;
  /** Whether new licenses are rejected; existing ones keep working. */
  closed_for_sale: Flag;
  auto_register_ip_on_validate: Flag;
  auto_register_scope: "until_limit" | "first_only";
  track_ip_on_validate: Flag;
  default_max_ips: number;
  expiry_enforcement: Flag;
  signed_validation: Flag;
  custom_response_enabled: Flag;
  custom_response: string | null;
  custom_response_on_refusal: Flag;
  version_module_enabled: Flag;
  version_enforcement: "enforce" | "report";
  /** Incremented with every change to the product's version records. */
  versions_revision: number;
  ipv6_prefix: 64 | 128;
  /** While single IPv6 addresses are merged into their /64: the last license that is done. */
  merge_ips_after: string | null;
  created_at: number;
  updated_at: number;
  /** A deleted product keeps its row and its keys, so that its callers learn what happened. */
  deleted_at: number | null;
  /** The default expiry of a new license; null for lifetime. */
  default_expires_in_days: number | null;
  default_ip_system_enabled: Flag;
  /** Whether customers get an email with the key of a new license. */
  deliver_license_by_email: Flag;
  /** The organization's own text in that email. */
  license_email_text: string | null;
  /** Whether customers get an email some time before a license expires. */
  expiring_soon_email: Flag;
  /** The language of emails to its customers; null for the organization's. */
  locale: Language | null;
  /** How long before a license expires `license.expiring_soon` is recorded. */
  expiring_soon_days: number;
  /** Whether customers see its licenses in the portal. */
  portal_enabled: Flag;
  /** How many IP addresses a customer can remove from a license within 30 days; 0 for none. */
  portal_ip_removals_per_30_days: number;
  /** Whether customers can replace the key of a license. */
  portal_key_rotation: Flag;
  /** Whether customers can request transfers, and what approves them. */
  transfers: "off" | "review" | "automatic";
  /** The days without automatic approval after a license was created or transferred. */
  transfer_cooldown_days: number;
  transfer_resets_ips: Flag;
  transfer_rotates_key: Flag;
  /** Where customers renew. */
  renewal_url: string | null;
}

export interface ProductApiKeyRow {
  public_id: string;
  product_id: string;
  hash: string;
  /** Its display name; can be empty. */
  name: string;
  created_at: number;
  /** To the minute; null for never. */
  last_used_at: number | null;
  /** When an email reported it as unused, once. Null for not yet. */
  unused_notified_at: number | null;
  /** When it expires; null for never. */
  expires_at: number | null;
}

/** A test API key. It grants nothing, so the whole key is stored. */
export interface ProductSandboxKeyRow {
  product_id: string;
  public_id: string;
  api_key: string;
  created_at: number;
}

export interface ProductSigningKeyRow {
  id: string;
  product_id: string;
  /** The secret, encrypted with the installation's data key. */
  sealed_secret: string;
  /** Signs from this time on, until a newer one does: a rotation sets it to the end of the overlap. */
  active_from: number;
  created_at: number;
}

export interface ProductVersionRow {
  product_id: string;
  version: string;
  state: VersionState;
  created_at: number;
}

/** A customer of one organization, with exactly one identifier. What the organization recorded is not here. */
export interface CustomerRow {
  id: string;
  organization_id: string;
  email: string | null;
  discord_id: string | null;
  created_at: number;
}

/** What an organization recorded about a customer; no other organization sees it. */
export interface OrganizationCustomerRow {
  organization_id: string;
  customer_id: string;
  email: string | null;
  name: string | null;
  discord_id: string | null;
  created_at: number;
  updated_at: number;
  /** The search text: email, name and Discord ID, in lower case. */
  search_text: string;
}

export interface LicenseRow {
  id: string;
  organization_id: string;
  product_id: string;
  customer_id: string | null;
  license_key: string;
  /** The key as it is compared: trimmed and upper-cased. */
  license_key_match: string;
  is_lifetime: Flag;
  expires_at: number | null;
  ip_system_enabled: Flag;
  max_ips: number;
  /** The number of rows in `license_ips` for this license; incremented only while below `max_ips`. */
  ip_count: number;
  /** When an IP address was last registered or removed; 0 for never. `updated_at` is the time of the last edit. */
  ips_updated_at: number;
  notes: string | null;
  version_pin_mode: "pinned" | "range" | null;
  version_pinned: string | null;
  version_range_min: string | null;
  version_range_max: string | null;
  custom_override: string | null;
  /** The number of blocks for this license. */
  block_count: number;
  revoked_at: number | null;
  revoked_reason: string | null;
  created_at: number;
  updated_at: number;
  /** When it was first validated successfully. */
  first_used_at: number | null;
  /** A term that starts on first use: until then `expires_at` is null and the license does not expire. */
  term_ms: number | null;
  /** The organization's own data, as a JSON object; the public API never returns it. */
  metadata: string | null;
  /** The search text: the key, the customer, the notes and the tags, in lower case. */
  search_text: string;
}

export interface LicenseTagRow {
  organization_id: string;
  tag: string;
  license_id: string;
}

/** The number of licenses that have this in common. Maintained by triggers: see the migration `license-counts.ts`. */
export interface LicenseCountRow {
  organization_id: string;
  /** What happens to them on that day; for creation, the other columns are not distinguished. */
  fact: "expires" | "created";
  product_id: string;
  /** Days since 1970, in UTC. */
  day: number;
  is_revoked: number;
  is_used: number;
  has_notes: number;
  licenses: number;
}

export interface LicenseIpRow {
  license_id: string;
  ip: string;
  /** The /64 of a single IPv6 address; null for IPv4 and for a /64. */
  network: string | null;
  registered_at: number;
}

export type BlockTier = "platform" | "organization" | "customer" | "license";

export interface IpBlockRow {
  id: string;
  tier: BlockTier;
  /** Null at platform level. */
  organization_id: string | null;
  /** The organization, customer or license that the block is for; empty at platform level. */
  scope_id: string;
  cidr: string;
  note: string | null;
  expires_at: number | null;
  created_at: number;
  /** The name of the user who created it. */
  created_by: string | null;
  updated_at: number;
}

interface DailyUsageRow {
  product_id: string;
  day: number;
  used: number;
  /** How many calls the last update admitted: how a batch learns what it was granted. */
  last_granted: number;
  /** The limit in force when it was last counted; null for none. */
  daily_limit: number | null;
}

interface PlatformStateRow {
  name: string;
  value: string;
}

/** The sign-in library owns this table's first columns, and writes times as ISO 8601 text. */
export interface UserRow {
  id: string;
  name: string;
  email: string;
  email_verified: Flag;
  image: string | null;
  created_at: string;
  updated_at: string;
  two_factor_enabled: Flag;
  is_platform_admin: Flag;
  /** How many organizations this user can own. Null for what the plans allow. */
  organization_allowance: number | null;
  suspended_at: number | null;
  suspension_reason: string | null;
  /** The language of emails to them. */
  locale: Language;
  /** Devices marked as known before this time are no longer known. */
  devices_since: number;
}

/** Like the users, these are written by the sign-in library: times are ISO 8601 text. */
export interface SessionRow {
  id: string;
  user_id: string;
  /** The hash of the token in the cookie. */
  token: string;
  expires_at: string;
  ip_address: string | null;
  user_agent: string | null;
  created_at: string;
  updated_at: string;
}

/** One way to sign in: a password (`credential`), or an external account. */
export interface AccountRow {
  id: string;
  user_id: string;
  provider_id: string;
  /** The ID of the external account; the user's own ID for a password. */
  account_id: string;
  /** The password hash. */
  password: string | null;
  /** The provider's tokens are not stored, because nothing needs them. */
  access_token: string | null;
  refresh_token: string | null;
  id_token: string | null;
  access_token_expires_at: string | null;
  refresh_token_expires_at: string | null;
  scope: string | null;
  created_at: string;
  updated_at: string;
}

/** A single-use value with an expiry. */
interface VerificationRow {
  id: string;
  identifier: string;
  value: string;
  expires_at: string;
  created_at: string;
  updated_at: string;
}

interface TwoFactorRow {
  id: string;
  user_id: string;
  secret: string;
  backup_codes: string;
  verified: Flag;
  failed_verification_count: number;
  locked_until: string | null;
}

interface PasskeyRow {
  id: string;
  user_id: string;
  name: string | null;
  credential_id: string;
  public_key: string;
  counter: number;
  device_type: string;
  backed_up: Flag;
  transports: string | null;
  aaguid: string | null;
  created_at: string | null;
}

/** Where a user has signed in from, so that they are notified of new devices and locations. */
interface KnownDeviceRow {
  user_id: string;
  fingerprint: string;
  last_used_at: number;
}

/**
 * How often something was attempted on one account. The name is a hash, because it may belong to an email address
 * without an account.
 */
interface AttemptsRow {
  name: string;
  /** The time until which the attempts so far last, at one per interval. */
  ends_at: number;
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

/** Every member of an organization except its owner, each with exactly one role. */
interface MemberRow {
  organization_id: string;
  user_id: string;
  role_id: string;
  created_at: number;
  /** When the role was last changed; 0 for never. */
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

export interface AuditLogRow {
  id: string;
  at: number;
  /** Null for entries about only the platform or a user. */
  organization_id: string | null;
  /** `platform_admin` for actions of a user as the operator of the installation. */
  actor_kind: "person" | "token" | "customer" | "platform_admin" | "command_line" | "system";
  actor_id: string | null;
  actor_name: string;
  /** The access token that was used, if any. */
  access_token_id: string | null;
  /** Such as `license.revoked`. */
  action: string;
  subject_kind: string;
  subject_id: string;
  subject_name: string | null;
  /** The changed members, as a JSON object; null for something new or deleted. */
  before: string | null;
  after: string | null;
  ip: string | null;
  request_id: string | null;
}

/** Until when entries of an organization were archived and deleted. */
interface AuditLogCutoffRow {
  organization_id: string;
  deleted_before: number;
}

export interface IdempotencyKeyRow {
  actor_id: string;
  idempotency_key: string;
  fingerprint: string;
  /** The status of the response; 0 while there is none, and `sealed_answer` holds the progress of the request. */
  status: number;
  /** Encrypted, because a response can contain a secret that is shown once. */
  sealed_answer: string;
  created_at: number;
}

/** Emails that were sent, or are stored here because there is no mail server. */
export interface OutboxRow {
  id: string;
  recipient: string;
  subject: string;
  body_text: string;
  body_html: string | null;
  /** Where replies go, if not to the sender. */
  reply_to: string | null;
  kind: string;
  created_at: number;
  sent_at: number | null;
  /** Why the last attempt failed: a code with its parameters, as JSON. */
  failure: string | null;
  attempts: number;
  /** Null if there will be no further attempt: it was sent, or failed. During an attempt, when another may start. */
  next_attempt_at: number | null;
  /** A hash of what it reports, if that is to be reported once: no two emails have the same. */
  dedupe_key: string | null;
  /** A bulk email to a customer: all others are sent first. */
  is_bulk: Flag;
}

/**
 * As stored: the contents, links and license keys included, are encrypted together, and deleted once the email is sent.
 */
export type StoredEmailRow = Omit<OutboxRow, "body_text" | "body_html" | "reply_to"> & {
  sealed_body: string | null;
};

/** How many emails an organization has caused on a day. One row per kind of recipient. */
export interface DailyEmailsRow {
  /** An organization, or its owner. */
  sender_id: string;
  recipients: "customers" | "invited";
  day: number;
  used: number;
}

/** An email to a customer beyond the organization's daily limit. It is written when it can be sent. */
export interface WaitingEmailRow {
  id: string;
  organization_id: string;
  kind: "license_delivery" | "license_expiring" | "license_received";
  license_id: string;
  /** Which expiry of the license it is about. */
  ends_at: number | null;
  created_at: number;
  /** The deduplication key that the email will have. */
  dedupe_key: string;
}

/** An import of licenses, and its result. */
export interface ImportRow {
  id: string;
  organization_id: string;
  product_id: string;
  state:
    | "receiving"
    | "waiting"
    | "checking"
    | "writing"
    | "undoing"
    | "finished"
    | "failed"
    | "cancelled"
    | "undone";
  /** The file name given by the client. */
  file_name: string | null;
  format: "csv" | "jsonl";
  dry_run: Flag;
  mode: "all_or_nothing" | "row_by_row";
  on_existing: "fail" | "skip" | "update";
  /** Whether an event is recorded for each license that it creates or changes. */
  send_events: Flag;
  /** The organization's time zone when it started: for dates without a time. */
  time_zone: string;
  /** A JSON object from column names to fields. */
  column_map: string;
  bytes_total: number;
  bytes_done: number;
  /** Null until the whole file has been read. */
  rows_total: number | null;
  rows_done: number;
  created: number;
  updated: number;
  skipped: number;
  /** Rows with an error; each can have several. */
  failed: number;
  error_count: number;
  /** The first errors, as a JSON array. */
  errors: string;
  /** How many characters of rejected rows are stored. */
  rejects_size: number;
  /** Why it failed as a whole. */
  /** Why it failed as a whole: a code with its parameters, as JSON. */
  failure: string | null;
  /** Who started it, as in the audit log: a JSON object of its columns. */
  actor: string;
  created_by: string;
  /** Which worker processes it, and until when no other can. */
  claimed_by: string | null;
  claimed_until: number;
  created_at: number;
  updated_at: number;
  finished_at: number | null;
  /** Set to request cancellation; the worker checks it between steps. */
  cancel_requested_at: number | null;
  /** Who requested to undo it, how, and the result, as a JSON object. */
  undo: string | null;
  /** Until when rejected rows and the undo list are kept; null if there are none. */
  keeps_until: number | null;
}

/** A part of the file, in order; deleted once the import ends. */
interface ImportPieceRow {
  import_id: string;
  number: number;
  body: string;
}

/** A license that an import wrote and would have to revert. */
export interface ImportUndoRow {
  import_id: string;
  license_id: string;
  /** Its previous values, as a JSON object; null if it did not exist. */
  before: string | null;
  /** When the import wrote it: a license with a later time has been changed since. */
  written_at: number;
}

/** A row of the file that was not imported. Number 0 is the header. */
export interface ImportRejectRow {
  import_id: string;
  number: number;
  /** A JSON array of its original cells; for JSON Lines, the line. */
  cells: string;
  /** Its errors, as a JSON array. */
  errors: string;
}

/** One request, or several alike: see `count`. */
export interface RequestLogRow {
  /** When it was decided. The time in the ID is when it arrived, which can be seconds earlier. */
  at: number;
  id: string;
  organization_id: string;
  product_id: string;
  license_id: string | null;
  endpoint: "validate" | "lookup";
  /** What was answered: a validate status, `found`, `not_found`, `body_too_large` or `body_timeout`. */
  status: string;
  ip: string;
  version: string | null;
  device_id: string | null;
  problem: string | null;
  duration_us: number;
  /** How many requests this row stands for: more than 1 for those of a minute beyond a limit, with the first one's ID. */
  count: number;
  sandbox: number;
  /** For refusals, what the rule saw, as JSON. */
  facts: string | null;
}

/** In which milliseconds of a segment an organization, or some licenses or IP addresses occur: see `request-log/keys.ts`. */
export interface RequestKeyRow {
  /** The start of the segment. */
  from_at: number;
  /** Organization, license, or IP address within an organization. */
  kind: "o" | "l" | "i";
  /** An organization ID, or a part of the hashes of licenses or IP addresses. */
  key: string;
  /** How many rows of the segment have it. */
  count: number;
  /** The times of these rows, as text; null for an organization with many. */
  ats: string | null;
}

/** A day of the log that has tables. */
interface RequestDayRow {
  /** Days since 1970. */
  day: number;
  /** What deleted rows still take on disk. Only on PostgreSQL: SQLite uses their space again. */
  deleted_bytes: Generated<number>;
}

/** An organization with so many requests that the log became too large. */
interface RequestLogCutRow {
  organization_id: string;
  /** Its requests before this time are deleted. */
  cut_until: number;
}

/** A part of the log whose keys are written: all rows with `from_at <= at < until_at`, within one day. */
export interface RequestSegmentRow {
  from_at: number;
  until_at: number;
  rows: number;
  /** About how much its rows and keys take on disk. */
  bytes: number;
  closed_at: number;
}

/** A single row. */
interface RequestLogStateRow {
  id: 1;
  /** Every row before this time is in a segment, and no other row is. */
  closed_until: number;
  /** Rows before this time were deleted because the log was too large, by a release that deleted everybody's. */
  cut_until: number;
  sweep_started_at: number;
  /** How far the log was read to delete what is kept for a shorter time than the rest; null if all of it was. */
  sweep_position: number | null;
}

/** The requests of a product, or of all products of an organization, in one hour: see `rollups/roll-up.ts`. */
export interface RollUpHourRow {
  organization_id: string;
  /** Empty for all products. */
  product_id: string;
  /** Hours since 1970, UTC. */
  hour: number;
  /** JSON objects with a number for each key. */
  counts: string;
  versions: string;
  countries: string;
}

/** The different licenses and IP addresses of an hour, as `UniqueCount` writes them. */
export interface HourUniquesRow {
  organization_id: string;
  product_id: string;
  hour: number;
  licenses: string;
  /** Licenses with a successful validation. */
  active: string;
  ips: string;
}

/** The same of a UTC day, and which licenses were refused. */
export interface RollUpDayRow {
  organization_id: string;
  product_id: string;
  /** Days since 1970, UTC. */
  day: number;
  licenses: string;
  active: string;
  ips: string;
  /** A JSON object: see `refusalKey`. */
  refused: string;
}

/** A license that was used from several places on a UTC day, or with several devices. */
export interface LicenseDayRow {
  organization_id: string;
  day: number;
  license_id: string;
  product_id: string;
  ip_count: number;
  device_count: number;
  /** Of `travel`. */
  speed_kmh: number | null;
  /** JSON arrays. */
  ips: string;
  devices: string;
  /** The fastest impossible change of place, as JSON; null if there was none. */
  travel: string | null;
}

type SightingTier = "platform" | "organization" | "license";

export interface IpSightingRow {
  tier: SightingTier;
  /** The organization or license; empty at platform level. */
  scope_id: string;
  ip: string;
  first_seen_at: number;
  last_seen_at: number;
  hits: number;
  /** How many licenses were used from this IP address, within the scope. */
  license_count: number;
}

/** How often validations of a license were refused on a day, with one status. */
export interface LicenseRefusalRow {
  license_id: string;
  /** Days since 1970, UTC. */
  day: number;
  status: string;
  organization_id: string;
  count: number;
  first_at: number;
  last_at: number;
  last_ip: string;
  last_version: string | null;
}

type Flag = 0 | 1;

/** Columns that a new row can omit. */
type WithDefaults<Row, Column extends keyof Row> = Omit<Row, Column> & {
  [K in Column]: Generated<Row[K]>;
};

/** An event, written in the transaction that made it true. */
export interface EventRow {
  id: string;
  organization_id: string;
  product_id: string | null;
  license_id: string | null;
  type: EventType;
  at: number;
  /** The data as JSON: it never changes. */
  data: string;
  undistributed: Distribution;
}

/** The transaction that inserts this row records the rejection, which is recorded once per hour. */
interface RecordedRefusalRow {
  /** Hours since 1970. */
  hour: number;
  license_id: string;
  type: EventType;
  ip: string;
  /** Whether the IP address has no separate event and is counted in the hour's summary. */
  in_summary: Flag;
}

/** The events of a license in an hour beyond the individual ones: see `maxSingleEvents`. */
export interface EventSummaryRow {
  hour: number;
  license_id: string;
  type: EventType;
  organization_id: string;
  product_id: string;
  count: number;
  last_ip: string;
  first_at: number;
  last_at: number;
}

export interface RecordedExpiryRow {
  license_id: string;
  type: EventType;
  ends_at: number;
}

/** A license whose expiry was set within the warning period of its product. */
interface UnannouncedExpiryRow {
  license_id: string;
}

/** A check to run after a product's limit was lowered: see `quotaCheck`. */
export interface QuotaCheckRow {
  product_id: string;
  type: Extract<EventType, `quota.${string}`>;
  day: number;
  /** When the limit was first lowered; what was recorded since is not recorded again. */
  changed_at: number;
  check_at: number;
}

/** An email about a reached limit was written, or left out because there were too many: see `quotaEmails`. */
export interface QuotaNoticeRow {
  organization_id: string;
  day: number;
  product_id: string;
  type: Extract<EventType, `quota.${string}`>;
}

export interface WebhookEndpointRow {
  id: string;
  organization_id: string;
  url: string;
  description: string;
  format: "standard" | "discord" | "slack";
  /** A JSON list; null for all. */
  event_types: string | null;
  /** A JSON list; null for all. */
  product_ids: string | null;
  /** Custom headers as JSON, encrypted with the installation's data key. */
  sealed_headers: string | null;
  status: "enabled" | "disabled";
  disabled_reason: "by_hand" | "gone" | "failing" | null;
  disabled_at: number | null;
  /** Since when every attempt has failed; null after a success. */
  failing_since: number | null;
  last_success_at: number | null;
  last_failure_at: number | null;
  /** Whether it is retried automatically after it was disabled for failing. */
  auto_reenable: Flag;
  /** The number of these retries. */
  probes: number;
  /** When it is retried next; null for never. A claim moves this to its own end. */
  next_probe_at: number | null;
  created_at: number;
  updated_at: number;
  /** If set, it counts as disabled by hand, and its row stays only until all of its data is removed. */
  deleted_at: number | null;
}

/** As stored: the path and query of a URL often grant access. */
export type StoredEndpointRow = Omit<WebhookEndpointRow, "url"> & { sealed_url: string };

export interface WebhookSecretRow {
  id: string;
  endpoint_id: string;
  sealed_secret: string;
  created_at: number;
  /** When an old secret stops signing after a rotation. */
  expires_at: number | null;
}

/** The delivery of an event to one endpoint. */
export interface DeliveryRow {
  id: string;
  organization_id: string;
  endpoint_id: string;
  event_id: string;
  event_type: EventType;
  state: DeliveryState;
  attempts: number;
  /** Null if there will be no further attempt. */
  next_attempt_at: number | null;
  claimed_by: string | null;
  claimed_until: number | null;
  last_status: number | null;
  created_at: number;
  finished_at: number | null;
}

export interface DeliveryAttemptRow {
  id: string;
  delivery_id: string;
  endpoint_id: string;
  at: number;
  duration_ms: number;
  /** As JSON; custom headers by name only. */
  request_headers: string;
  /** Null if there was no response. */
  status: number | null;
  /** The first 4 KB of it. */
  response_body: string | null;
  /** Why it failed: a code with its parameters, as JSON. */
  failure: string | null;
}

/** As stored: many receivers repeat the URL in their response. */
export type StoredAttemptRow = Omit<DeliveryAttemptRow, "response_body"> & { sealed_response: string | null };

/** Someone who has signed in to the portal. Organizations never see this ID. */
export interface PortalPersonRow {
  id: string;
  /** The language they chose; null for their browser's. */
  locale: Language | null;
  created_at: number;
  updated_at: number;
}

/** An email address or Discord account that a person has proven to own. Each belongs to one person. */
export interface PortalIdentityRow {
  kind: "email" | "discord";
  /** The email address in lower case, or the Discord ID. */
  value: string;
  id: string;
  person_id: string;
  /** The display name on Discord. */
  name: string | null;
  verified_at: number;
}

export interface PortalSessionRow {
  id: string;
  person_id: string;
  token_hash: string;
  signed_in_by: "email" | "discord";
  ip: string | null;
  user_agent: string | null;
  created_at: number;
  /** To the minute. */
  last_used_at: number;
  expires_at: number;
}

/** A sign-in code with its link. Everything that proves something is stored as a hash. */
export interface PortalCodeRow {
  id: string;
  email_hash: string;
  sealed_email: string;
  /** The person who wants to add the email address; null for a sign-in. */
  person_id: string | null;
  code_hash: string;
  link_hash: string;
  /** Identifies the browser that requested the code. */
  challenge_hash: string;
  /** Wrong codes from the browser that requested it. */
  attempts: number;
  /** Wrong codes from anywhere else. */
  other_attempts: number;
  created_at: number;
  expires_at: number;
}

/** What a customer did in the portal, as far as there is a budget for it. */
export interface PortalActionRow {
  id: string;
  license_id: string;
  action: "ip_removed" | "key_rotated";
  count: number;
  at: number;
}

/** A request to transfer a license. It outlives its license. */
export interface TransferRow {
  id: string;
  organization_id: string;
  product_id: string;
  license_id: string;
  /** The start of the key at the time of the request. */
  license_key_hint: string;
  state: "pending" | "approved" | "rejected" | "cancelled";
  from_customer_id: string;
  /** The customer as the organization knew them at the time of the request. Null once the customer is deleted. */
  from_email: string | null;
  from_discord_id: string | null;
  from_name: string | null;
  /** One of the two, as long as it waits. Both are null once the customer is deleted. */
  to_email: string | null;
  to_discord_id: string | null;
  /** The recipient's customer ID; null until approved. */
  to_customer_id: string | null;
  message: string | null;
  /** Why it was not approved automatically. */
  review_reason: "product_setting" | "cooldown" | "target_blocked" | null;
  /** The person of the portal; null once that account is deleted. */
  requested_by: string | null;
  requested_at: number;
  decided_at: number | null;
  decided_by: "organization" | "customer" | "system" | null;
  /** The name of the member or token that decided. */
  decided_by_name: string | null;
  /** The reason for a rejection, or why the system cancelled it. */
  reason: string | null;
  updated_at: number;
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

export interface ProductDownloadRow {
  product_id: string;
  position: number;
  id: string;
  title: string;
  url: string;
  /** Only licenses that can use this version or a newer one see it. */
  min_version: string | null;
  checksum: string | null;
}

/** A plan, as the operator set it. Null limits do not apply. */
export interface PlanRow {
  id: Plan;
  name: string;
  /** Requests per product and day. */
  daily_limit: number | null;
  version_module: Flag;
  /** How many organizations a user can own, if this is the best plan of those. */
  organizations_per_user: number | null;
  max_products: number | null;
  max_licenses: number | null;
  max_members: number | null;
  max_webhooks: number | null;
  request_log_days: number | null;
  /** How long the audit log is kept; null for ever. */
  audit_log_days: number | null;
  /** In the smallest unit of the platform's currency; null if it is not sold by the month. */
  monthly_price: number | null;
  yearly_price: number | null;
  trial_days: number;
  updated_at: number;
}

/** How an organization pays. Without a row it never has. */
export interface OrganizationBillingRow {
  organization_id: string;
  plan_set_by: PlanSource;
  /** The operator's note about a plan that they set. */
  plan_note: string | null;
  stripe_customer_id: string | null;
  /** The subscription as it was last fetched from Stripe; all null without one. */
  subscription_id: string | null;
  subscription_status: SubscriptionStatus | null;
  subscription_plan: Plan | null;
  subscription_interval: BillingInterval | null;
  subscription_amount: number | null;
  subscription_currency: string | null;
  period_ends_at: number | null;
  /** When it ends because it was cancelled; null if it renews. */
  cancels_at: number | null;
  trial_ends_at: number | null;
  had_trial: Flag;
  grace_started_at: number | null;
  /** How many emails of the grace period were written. */
  notices_sent: number;
  /** The end of the plan that the email before it was about; null for none. */
  end_notice_for: number | null;
  /** When the billing clock has to do something next; null for never. */
  due_at: number | null;
  /** How many fetches from Stripe were started, and the last of them that was stored: an older one is discarded. */
  sync_started: number;
  sync_applied: number;
  synced_at: number | null;
  /** When to compare with Stripe next; null without a customer. */
  sync_due_at: number | null;
  updated_at: number;
}

/** A price in Stripe for a plan. */
export interface StripePriceRow {
  mode: "test" | "live";
  plan: Plan;
  interval_unit: BillingInterval;
  currency: string;
  amount: number;
  price_id: string;
}

/** An event from Stripe that was processed. */
export interface StripeEventRow {
  id: string;
  type: string;
  organization_id: string | null;
  received_at: number;
}

/** A message of the operator to all dashboards. */
export interface AnnouncementRow {
  id: string;
  level: "info" | "warning";
  message: string;
  url: string | null;
  starts_at: number;
  ends_at: number | null;
  /** The name of the platform admin. */
  created_by: string | null;
  created_at: number;
  updated_at: number;
}

/** A platform admin who looks at an organization, read-only and for a limited time. */
export interface ImpersonationRow {
  id: string;
  /** The session, or the access token in its place. */
  session_id: string;
  user_id: string;
  organization_id: string;
  reason: string;
  started_at: number;
  expires_at: number;
}

/** The last run of a periodic job on one node. */
export interface JobRunRow {
  node: string;
  job: string;
  every_ms: number;
  started_at: number;
  finished_at: number | null;
  /** When it last failed, and why; null for never. */
  failed_at: number | null;
  failure: string | null;
}
