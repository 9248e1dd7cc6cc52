/**
 * Every table, as both databases hold it: ids are text, flags are 0 or 1, times are milliseconds since 1970, JSON is
 * text. The migrations create exactly this.
 */
import type { EventType } from "@countersign/domain/events/types";
import type { Language } from "@countersign/domain/mail/languages";
import type { Plan } from "@countersign/domain/quota/limit";
import type { BillingState, ProductStatus } from "@countersign/domain/validate/facts";
import type { VersionState } from "@countersign/domain/versions/catalog";
import type { Generated } from "kysely";

export interface Tables {
  organizations: OrganizationRow;
  products: ProductRow;
  product_api_keys: ProductApiKeyRow;
  product_signing_keys: ProductSigningKeyRow;
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
  idempotency_keys: IdempotencyKeyRow;
  mailbox: WithDefaults<StoredMailRow, "attempts" | "next_attempt_at" | "is_bulk">;
  daily_letters: DailyLettersRow;
  waiting_letters: WaitingLetterRow;
  license_tags: LicenseTagRow;
  license_counts: LicenseCountRow;
  license_count_changes: LicenseCountRow;
  imports: ImportRow;
  import_pieces: ImportPieceRow;
  import_undo: WithDefaults<ImportUndoRow, "written_at">;
  import_rejects: ImportRejectRow;
  events: EventRow;
  refusals_told: RefusalToldRow;
  event_summaries: EventSummaryRow;
  expiries_told: ExpiryToldRow;
  quota_looks: QuotaLookRow;
  webhook_endpoints: StoredEndpointRow;
  webhook_secrets: WebhookSecretRow;
  deliveries: DeliveryRow;
  delivery_attempts: StoredAttemptRow;
  request_log: RequestLogRow;
  ip_sightings: IpSightingRow;
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
  /** Raised with every change to the organization's block list. */
  ip_blocks_revision: number;
  /** How many blocks it holds against single customers: none means that nobody has to look. */
  customer_block_count: number;
  created_at: number;
  updated_at: number;
  /** Null only for organizations that a command made without a person. */
  owner_id: string | null;
  /** When it goes for good; until then its deletion can be taken back. Null again once all of it is gone. */
  delete_after: number | null;
  /** Since when the owner belongs to it; null for since it was made. */
  owner_joined_at: number | null;
  /** A deleted organization keeps its row, because its products keep theirs. */
  deleted_at: number | null;
  /** What its customers, and people it invites, are written in. */
  locale: Language;
  /** An IANA name. A date without a time ends with that day there. */
  time_zone: string;
  /** How many letters a day its customers get at most; null for what the server says. */
  daily_letters_override: number | null;
}

export interface ProductRow {
  id: string;
  organization_id: string;
  name: string;
  status: ProductStatus;
  /** Whether new licenses are refused; existing ones go on. */
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
  /** Raised with every change to the product's version records. */
  versions_revision: number;
  ipv6_prefix: 64 | 128;
  /** While single IPv6 addresses are merged into their /64: the last license that is done. */
  merge_ips_after: string | null;
  created_at: number;
  updated_at: number;
  /** A deleted product keeps its row and its keys, so that its callers learn what happened. */
  deleted_at: number | null;
  /** What a new license gets when nobody says otherwise; null for lifetime. */
  default_expires_in_days: number | null;
  default_ip_system_enabled: Flag;
  /** Whether the customer gets a letter with the key of a license that was made for them. */
  deliver_license_by_mail: Flag;
  /** What the seller adds to that letter. */
  license_mail_text: string | null;
  /** Whether the customer gets a letter some time before a license runs out. */
  expiring_soon_mail: Flag;
  /** What its customers are written in; null for the organization's language. */
  locale: Language | null;
  /** So long before a license runs out, `license.expiring_soon` tells of it. */
  expiring_soon_days: number;
}

export interface ProductApiKeyRow {
  public_id: string;
  product_id: string;
  hash: string;
  /** What people call it; may be empty. */
  name: string;
  created_at: number;
  /** To the minute; null for never. */
  last_used_at: number | null;
  /** When people were told by email that nobody uses it; null for not yet. They are told once. */
  unused_told_at: number | null;
  /** When it stops working; null for when it is ended. */
  expires_at: number | null;
}

export interface ProductSigningKeyRow {
  id: string;
  product_id: string;
  /** The secret, encrypted with the installation's data key. */
  sealed_secret: string;
  /** Signs from this time on, until a newer one does: rotation sets it to the end of the overlap. */
  active_from: number;
  created_at: number;
}

export interface ProductVersionRow {
  product_id: string;
  version: string;
  state: VersionState;
  created_at: number;
}

/** A person, known to the whole installation by exactly one identifier. What organizations wrote is not here. */
export interface CustomerRow {
  id: string;
  organization_id: string;
  email: string | null;
  discord_id: string | null;
  created_at: number;
}

/** What one organization wrote about a customer; no other organization sees it. */
export interface OrganizationCustomerRow {
  organization_id: string;
  customer_id: string;
  email: string | null;
  name: string | null;
  discord_id: string | null;
  created_at: number;
  updated_at: number;
  /** What a search looks through: e-mail, name and Discord id, in lower case. */
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
  /** How many rows `license_ips` holds for this license; raised only while below `max_ips`. */
  ip_count: number;
  /** When an address was last registered or removed; 0 for never. `updated_at` is the time of the last edit. */
  ips_updated_at: number;
  notes: string | null;
  version_pin_mode: "pinned" | "range" | null;
  version_pinned: string | null;
  version_range_min: string | null;
  version_range_max: string | null;
  custom_override: string | null;
  /** How many blocks are set against this license. */
  block_count: number;
  revoked_at: number | null;
  revoked_reason: string | null;
  created_at: number;
  updated_at: number;
  /** When it first passed a validation. */
  first_used_at: number | null;
  /** A term that starts with the first use: until then `expires_at` is null and the license does not run out. */
  term_ms: number | null;
  /** What the organization keeps beside it, as a JSON object; no answer of the public API shows it. */
  metadata: string | null;
  /** What a search looks through: the key, the customer, the notes and the tags, in lower case. */
  search_text: string;
}

export interface LicenseTagRow {
  organization_id: string;
  tag: string;
  license_id: string;
}

/** How many licenses have this in common. Triggers write it: see the migration `license-counts.ts`. */
export interface LicenseCountRow {
  organization_id: string;
  /** What happens to them on the day; when they were created, nothing else is told apart. */
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
  /** The name of whoever set it. */
  created_by: string | null;
  updated_at: number;
}

export interface DailyUsageRow {
  product_id: string;
  day: number;
  used: number;
  /** How many the last update let pass: how a batch learns what it was granted. */
  last_granted: number;
  /** The limit in force when it was last counted; null for none. */
  daily_limit: number | null;
}

export interface PlatformStateRow {
  name: string;
  value: string;
}

/** The library that signs people in owns this table's first columns, and writes times as ISO 8601 texts. */
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
  /** How many organizations this person may own; null for what the plans say. */
  organization_allowance: number | null;
  suspended_at: number | null;
  suspension_reason: string | null;
  /** What their letters are written in. */
  locale: Language;
  /** Devices that were marked as known before this are not known any more. */
  devices_since: number;
}

/** Like the users, these are written by the library that signs people in: times are ISO 8601 texts. */
export interface SessionRow {
  id: string;
  user_id: string;
  token: string;
  expires_at: string;
  ip_address: string | null;
  user_agent: string | null;
  created_at: string;
  updated_at: string;
}

/** One way in: a password (`credential`), or an account elsewhere. */
export interface AccountRow {
  id: string;
  user_id: string;
  provider_id: string;
  /** Who they are there; the user's own id for a password. */
  account_id: string;
  /** The password's hash. */
  password: string | null;
  /** What the provider gave is not kept: nothing here needs it. */
  access_token: string | null;
  refresh_token: string | null;
  id_token: string | null;
  access_token_expires_at: string | null;
  refresh_token_expires_at: string | null;
  scope: string | null;
  created_at: string;
  updated_at: string;
}

/** Something that can be used once, until it runs out. */
export interface VerificationRow {
  id: string;
  identifier: string;
  value: string;
  expires_at: string;
  created_at: string;
  updated_at: string;
}

export interface TwoFactorRow {
  id: string;
  user_id: string;
  secret: string;
  backup_codes: string;
  verified: Flag;
  failed_verification_count: number;
  locked_until: string | null;
}

export interface PasskeyRow {
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

/** Where somebody signed in from before, so that they are told of a place that is new. */
export interface KnownDeviceRow {
  user_id: string;
  fingerprint: string;
  last_used_at: number;
}

/** How often something was tried on one account. The name is a hash, for it may be of an address nobody has. */
export interface AttemptsRow {
  name: string;
  /** Until when the attempts that were taken last, at one an interval. */
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

/** Everyone in an organization but its owner, each with exactly one role. */
export interface MemberRow {
  organization_id: string;
  user_id: string;
  role_id: string;
  created_at: number;
  /** When the role was last changed for another; 0 for never. */
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
  /** When its letter was last written. */
  mailed_at: number;
}

/** A person's token acts for them in all their organizations; an organization's token is nobody's. Never both. */
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
  /** Null for what concerns the platform or a person alone. */
  organization_id: string | null;
  /** `platform_admin` for what a person did as the operator of the installation. */
  actor_kind: "person" | "token" | "platform_admin" | "command_line" | "system";
  actor_id: string | null;
  actor_name: string;
  /** The access token that they came with, if it was one. */
  access_token_id: string | null;
  /** Such as `license.revoked`. */
  action: string;
  subject_kind: string;
  subject_id: string;
  subject_name: string | null;
  /** The members that changed, as a JSON object; null for something new or gone. */
  before: string | null;
  after: string | null;
  ip: string | null;
  request_id: string | null;
}

export interface IdempotencyKeyRow {
  actor_id: string;
  idempotency_key: string;
  fingerprint: string;
  /** Of the answer; 0 while there is none, and `sealed_answer` says how far the request is. */
  status: number;
  /** Encrypted, because an answer may hold a secret that is shown once. */
  sealed_answer: string;
  created_at: number;
}

/** Mail that was sent, or is kept here because there is no server to send it. */
export interface MailboxRow {
  id: string;
  recipient: string;
  subject: string;
  body_text: string;
  body_html: string | null;
  kind: string;
  created_at: number;
  sent_at: number | null;
  problem: string | null;
  attempts: number;
  /** Null when nobody will try again: it was sent, or given up. While somebody is trying, when another may. */
  next_attempt_at: number | null;
  /** A hash of what it tells of, where that is to be told once: no two letters have the same. */
  dedupe_key: string | null;
  /** One of many, to customers: it lets all others go first. */
  is_bulk: Flag;
}

/** As it is stored: what it says, links and license keys among it, is sealed together, and gone once it was sent. */
export type StoredMailRow = Omit<MailboxRow, "body_text" | "body_html"> & { sealed_body: string | null };

/** How many letters an organization has caused on a day. One row for each kind of recipients. */
export interface DailyLettersRow {
  /** An organization, or its owner. */
  sender_id: string;
  recipients: "customers" | "invited";
  day: number;
  used: number;
}

/** A letter to a customer beyond what the organization may send in a day. It is written when it is its turn. */
export interface WaitingLetterRow {
  id: string;
  organization_id: string;
  kind: "license_delivery" | "license_expiring";
  license_id: string;
  /** Which end of the license it tells of. */
  ends_at: number | null;
  created_at: number;
  /** What the letter's will be. */
  dedupe_key: string;
}

/** A file of licenses on its way in, and afterwards what became of it. */
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
  /** As its sender named it. */
  file_name: string | null;
  format: "csv" | "jsonl";
  dry_run: Flag;
  mode: "all_or_nothing" | "row_by_row";
  on_existing: "fail" | "skip" | "update";
  /** Whether each license that it makes or changes is told of. */
  tell_events: Flag;
  /** The organization's when it began: days without a time are read in it. */
  time_zone: string;
  /** A JSON object, from a column of the file to a field. */
  column_map: string;
  bytes_total: number;
  bytes_done: number;
  /** Null until the file was read to its end. */
  rows_total: number | null;
  rows_done: number;
  created: number;
  updated: number;
  skipped: number;
  /** Rows with an error; each may have several. */
  failed: number;
  error_count: number;
  /** The first errors, as a JSON array. */
  errors: string;
  /** How many characters of rejected rows are kept. */
  rejects_size: number;
  /** Why it failed as a whole. */
  problem: string | null;
  /** Who began it, as the audit log names them: a JSON object of its columns. */
  actor: string;
  created_by: string;
  /** Who works on it, until when nobody else may. */
  claimed_by: string | null;
  claimed_until: number;
  created_at: number;
  updated_at: number;
  finished_at: number | null;
  /** Set by someone who wants it to stop; whoever works on it looks between two steps. */
  cancel_requested_at: number | null;
  /** Who asked to undo it, how, and what came of it, as a JSON object. */
  undo: string | null;
  /** Until when rejected rows, and what it takes to undo it, are kept; null when nothing is. */
  keeps_until: number | null;
}

/** A part of the file, in order; gone once the import is over. */
export interface ImportPieceRow {
  import_id: string;
  number: number;
  body: string;
}

/** A license that an import wrote and would have to take back. */
export interface ImportUndoRow {
  import_id: string;
  license_id: string;
  /** What it was before, as a JSON object; null for one that was not there. */
  before: string | null;
  /** When the import wrote it: a license with a later time was changed since. */
  written_at: number;
}

/** A row of the file that was not imported. Number 0 is the header. */
export interface ImportRejectRow {
  import_id: string;
  number: number;
  /** A JSON array of its cells as the file has them; of JSON Lines, the line. */
  cells: string;
  /** What is wrong with it, as a JSON array. */
  errors: string;
}

export interface RequestLogRow {
  id: string;
  at: number;
  organization_id: string;
  product_id: string;
  license_id: string | null;
  endpoint: "validate" | "lookup";
  status: string;
  ip: string;
  version: string | null;
  device_id: string | null;
  problem: string | null;
}

export type SightingTier = "platform" | "organization" | "license";

export interface IpSightingRow {
  tier: SightingTier;
  /** The organization or license; empty at platform level. */
  scope_id: string;
  ip: string;
  first_seen_at: number;
  last_seen_at: number;
  hits: number;
  /** How many licenses were used from this address, within the scope. */
  license_count: number;
}

type Flag = 0 | 1;

/** Columns that a new row may leave out. */
type WithDefaults<Row, Column extends keyof Row> = Omit<Row, Column> & {
  [K in Column]: Generated<Row[K]>;
};

/** Something that happened, written in the transaction that made it true. */
export interface EventRow {
  id: string;
  organization_id: string;
  product_id: string | null;
  license_id: string | null;
  type: EventType;
  at: number;
  /** What is told, as JSON: it stays as it was then. */
  data: string;
  /** Null once it is known who is to hear of it; 2 while the license is still to be written into `data`. */
  undistributed: 1 | 2 | null;
}

/** Whoever could write this row tells of the refusal; nobody else does in that hour. */
export interface RefusalToldRow {
  /** Hours since 1970. */
  hour: number;
  license_id: string;
  type: EventType;
  ip: string;
  /** Whether the address has no event of its own, but is counted in the hour's summary. */
  in_summary: Flag;
}

/** What happened to a license in an hour beyond what was told one by one: see `mostToldSingly`. */
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

export interface ExpiryToldRow {
  license_id: string;
  type: EventType;
  ends_at: number;
}

/** Something to look at after a product's limit was lowered: see `QuotaWatch`. */
export interface QuotaLookRow {
  product_id: string;
  type: Extract<EventType, `quota.${string}`>;
  day: number;
  /** When the limit was first lowered; what was told since is not told again. */
  changed_at: number;
  look_at: number;
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
  /** Headers of the seller's own, as JSON, encrypted with the installation's data key. */
  sealed_headers: string | null;
  status: "enabled" | "disabled";
  disabled_reason: "by_hand" | "gone" | "failing" | null;
  disabled_at: number | null;
  /** Since when every attempt has failed; null after a success. */
  failing_since: number | null;
  last_success_at: number | null;
  last_failure_at: number | null;
  /** Whether it is tried again by itself after it was disabled because it failed. */
  auto_reenable: Flag;
  /** How often that was done. */
  probes: number;
  /** When it is done next; null when it is not. Whoever does it moves this to the end of their claim. */
  next_probe_at: number | null;
  created_at: number;
  updated_at: number;
  /** Then it is disabled by hand, and its row stays only until all that it holds is removed. */
  deleted_at: number | null;
}

/** As it is stored: the path and query of a url are often what opens it. */
export type StoredEndpointRow = Omit<WebhookEndpointRow, "url"> & { sealed_url: string };

export interface WebhookSecretRow {
  id: string;
  endpoint_id: string;
  sealed_secret: string;
  created_at: number;
  /** When an old secret stops signing after a rotation. */
  expires_at: number | null;
}

/** An event on its way to one endpoint. */
export interface DeliveryRow {
  id: string;
  organization_id: string;
  endpoint_id: string;
  event_id: string;
  event_type: EventType;
  /** `held` waits for its endpoint to be enabled again. */
  state: "pending" | "delivered" | "failed" | "held";
  attempts: number;
  /** Null when nothing more is tried. */
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
  /** As JSON; the seller's own headers by name only. */
  request_headers: string;
  /** Null when there was no answer. */
  status: number | null;
  /** The first 4 KB of it. */
  response_body: string | null;
  problem: string | null;
}

/** As it is stored: many receivers say in their answer where they were called. */
export type StoredAttemptRow = Omit<DeliveryAttemptRow, "response_body"> & { sealed_response: string | null };
