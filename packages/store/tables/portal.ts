import type { Language } from "@countersign/domain/mail/languages";
import type { WithDefaults } from "./columns.ts";

/** The customer portal: who signs in, what customers can do themselves, and transfers. */
export interface PortalTables {
  portal_people: PortalPersonRow;
  portal_identities: PortalIdentityRow;
  portal_sessions: PortalSessionRow;
  portal_codes: WithDefaults<PortalCodeRow, "attempts" | "other_attempts">;
  portal_actions: PortalActionRow;
  transfers: TransferRow;
}

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
