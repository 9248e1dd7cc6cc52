import type { Language } from "@countersign/domain/mail/languages";
import type { Flag } from "./columns.ts";

/** Users, and how they sign in. The sign-in library writes most of these columns, with times as ISO 8601 text. */
export interface SignInTables {
  users: UserRow;
  sessions: SessionRow;
  accounts: AccountRow;
  /** A single-use value with an expiry. */
  verifications: {
    id: string;
    identifier: string;
    value: string;
    expires_at: string;
    created_at: string;
    updated_at: string;
  };
  two_factors: {
    id: string;
    user_id: string;
    secret: string;
    backup_codes: string;
    verified: Flag;
    failed_verification_count: number;
    locked_until: string | null;
  };
  passkeys: {
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
  };
  /** Where a user has signed in from, so that they are notified of new devices and locations. */
  known_devices: {
    user_id: string;
    fingerprint: string;
    last_used_at: number;
  };
  /**
   * How often something was attempted on one account. The name is a hash, because it may belong to an email address
   * without an account.
   */
  attempts: {
    name: string;
    /** The time until which the attempts so far last, at one per interval. */
    ends_at: number;
  };
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
