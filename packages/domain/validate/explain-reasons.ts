/**
 * Why a rule passes, refuses, or does not apply, by a code that does not change, with its sentence in English. Names in
 * braces are facts. Several rules share a reason where it is the same one.
 */
const explainTexts = {
  // Every rule about a license, if there is none
  no_license: "There is no license to look at.",

  // invalid_api_key
  api_key_usable: "The product has a usable API key: {api_keys}.",
  no_usable_api_key: "The product has no usable API key.",

  // rate_limit_exceeded
  no_daily_limit: "The organization has no daily limit.",
  within_daily_limit: "{used} of {limit} requests have been used on this day, which ends at {resets_at}.",
  daily_limit_reached:
    "All {limit} requests of this day have been used. The count starts again at {resets_at}.",
  past_usage_unknown: "How many requests had been used at this time of a past day is not stored.",

  // product_not_found
  product_exists: "The product {product_name} exists.",
  product_deleted: "The product {product_name} has been deleted.",

  // org_suspended
  organization_served: "The organization is not suspended.",
  organization_suspended: "The organization has been suspended since {suspended_at}.",

  // billing_suspended
  billing_not_suspended: "The organization is not suspended because of an overdue payment.",
  billing_suspended: "The organization is suspended because of an overdue payment.",

  // product_archived and product_disabled
  product_not_archived: "The product is not archived.",
  product_archived: "The product is archived.",
  product_not_disabled: "The product is not disabled.",
  product_disabled: "The product is disabled.",

  // license_not_found
  license_exists: "The license belongs to this product.",
  license_missing: "The product has no such license.",
  no_key_sent: "The request names no license key.",

  // revoked
  not_revoked: "The license is not revoked.",
  revoked: "The license was revoked at {revoked_at}.",

  // expired
  not_expired: "The license expires at {expires_at}, after {at}.",
  never_expires: "The license does not expire.",
  term_not_started: "The term of the license starts with its first valid request.",
  expiry_not_enforced: "The product does not enforce expiry. The license expires at {expires_at}.",
  expired: "The license expired at {expires_at}.",

  // Every rule about the IP address
  no_ip_given: "Not evaluated, because no IP address was given.",

  // ip_blocked
  not_blocked: "No block covers {ip}.",
  blocked: "{ip} is blocked by {cidr} of the {level}, since {since}.",
  blocked_by_platform: "{ip} is blocked by the platform.",

  // ip_not_registered and ip_limit_reached
  ip_not_checked: "The product does not check whether IP addresses are registered.",
  ip_system_off: "The license does not limit its IP addresses.",
  ip_registered: "{ip} is registered.",
  ip_can_register: "{ip} is not registered, but is registered automatically if a slot is free.",
  ip_not_registered:
    "{ip} is not registered, and the product registers no IP addresses automatically. {registered} of {max_ips} are registered.",
  ip_not_first:
    "{ip} is not registered, and the product registers only the first IP address. {registered} of {max_ips} are registered.",
  limit_decides: "{ip} is not registered, and no slot is free: the next rule decides.",
  needs_no_slot: "{ip} is registered and needs no other slot. {registered} of {max_ips} are registered.",
  slot_free: "{registered} of {max_ips} IP addresses are registered: a slot is free.",
  registration_off: "No slot is taken, because the product registers no IP addresses automatically.",
  ip_limit_reached: "{ip} is not registered, and {registered} of {max_ips} IP addresses are registered.",

  // version_not_allowed
  versions_not_checked: "The product does not check versions.",
  no_version_given: "The request names no version, so none is checked.",
  version_allowed: "Version {version} is allowed: the product lists it as {state}.",
  version_reported_only:
    "Version {version} is not allowed, but the product only reports that and does not refuse it.",
  version_unreadable: "{version} is not a version number.",
  version_outside_pin: "Version {version} is not one that the license is limited to.",
  version_blocked: "Version {version} is blocked by the product's list of versions.",
  version_missing: "Version {version} is not in the product's list of versions.",
} as const;

export type ExplainReason = keyof typeof explainTexts;

export const explainReasons = Object.keys(explainTexts) as [ExplainReason, ...ExplainReason[]];

/** What a rule looked at, by name. */
export type RuleFacts = Readonly<Record<string, Fact>>;
export type Fact = string | number | boolean | null | string[];

export function explainMessage(reason: ExplainReason, facts: RuleFacts): string {
  return explainTexts[reason].replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const fact = facts[name];
    return Array.isArray(fact) ? fact.join(", ") : String(fact ?? "–");
  });
}
