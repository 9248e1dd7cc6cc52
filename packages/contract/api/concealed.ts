import { maskedKey } from "@countersign/domain/licenses/key";

/**
 * What a platform admin sees of an organization they view without being a member: everything but keys, secrets, and
 * texts in which sellers keep them. Members are known by name, because events and the audit log have data of many
 * shapes. What is not known is withheld, so a new member stays hidden until it is added here.
 */
export function concealed(answer: unknown): unknown {
  return shownMember(answer, "shown");
}

/** `key`: a license key, of which the beginning is shown. `url`: a URL, of which the host is shown. */
type Treatment = "shown" | "key" | "url" | "withheld";

/** In place of a text that is withheld. */
export const withheldText = "…";

/** What happens to a member of this name, wherever it occurs. */
export function treatmentOf(name: string): Treatment {
  const known = treatments.get(name);
  if (known !== undefined) return known;
  return harmlessName.test(name) ? "shown" : "withheld";
}

/** Whether the contract says so explicitly. A test requires it for every member of a response. */
export function isTreated(name: string): boolean {
  return treatments.has(name) || harmlessName.test(name);
}

/** Whether a query parameter searches in what is concealed: its results would reveal a key piece by piece. */
export function isSearchOfConcealed(parameter: string): boolean {
  return parameter === "q";
}

/** Times and identifiers. */
const harmlessName = /_(?:at|id|ids|until|since|after)$/;

const shown = [
  // Structure
  "actor",
  "after",
  "api_keys",
  "before",
  "blocks",
  "created",
  "data",
  "downloads",
  "event",
  "expiring",
  "facts",
  "failure",
  "from",
  "invited_by",
  "last_24_hours",
  "last_7_days",
  "license",
  "licenses",
  "limits",
  "links",
  "next_cursor",
  "params",
  "previous",
  "license_keys",
  "request",
  "role",
  "rules",
  "sightings",
  "signing_key",
  "subject",
  "subscription",
  "summary",
  "to",
  "transfer",
  "version_checks",
  // Analytics
  "buckets",
  "countries",
  "country",
  "last_day",
  "quota",
  "reasons",
  "sample_devices",
  "sample_ips",
  "totals",
  "travel",
  "versions",
  // People and organizations
  "created_by",
  "customer_email",
  "customer_name",
  "email",
  "last_revealed_by",
  "name",
  "owner_name",
  "recipient",
  "slug",
  // Settings
  "accent_color",
  "accent_color_dark",
  "accent_text_dark",
  "auto_register_scope",
  "contact",
  "description",
  "display_name",
  "event_types",
  "format",
  "header_names",
  "headers_removed",
  "headers_set",
  "ipv6_prefix",
  "locale",
  "logo_url",
  "permissions",
  "portal_url",
  "renewal_url",
  "support_email",
  "support_url",
  "time_zone",
  "title",
  "transfers",
  "version_checks_on_downgrade",
  "version_enforcement",
  // The beginning of an API key or access token, which identifies it.
  "prefix",
  // Licenses and IP addresses
  "change",
  "changed",
  "cidr",
  "ip",
  "product_name",
  "registered_ips",
  "revoked_reason",
  "tags",
  "version",
  "version_pin_mode",
  "version_pinned",
  "version_range_max",
  "version_range_min",
  "checksum",
  "min_version",
  // Plans and payments
  "billing_state",
  "currency",
  "interval",
  "number",
  "older_entries",
  "on_downgrade",
  "plan",
  "plan_name",
  "plan_set_by",
  "suspension_reason",
  // What happened
  "action",
  "at",
  "code",
  "decided_by",
  "disabled_reason",
  "endpoint",
  "error",
  "event_type",
  "field",
  "first_at",
  "id",
  "kind",
  "last_at",
  "level",
  "message",
  "outcome",
  "problem",
  "reason",
  "review_reason",
  "rule",
  "state",
  "status",
  "timestamp",
  "type",
  "unrepeatable",
  "since",
  "until",
] as const;

const withheld = [
  // Of the sandbox.
  "api_key",
  "secret",
  // Sellers' own data, which programs read.
  "custom_override",
  "custom_response",
  "metadata",
  // Texts for the seller, or for customers who have a license.
  "license_email_text",
  "note",
  "notes",
  // An email with a license key.
  "text",
  // What an endpoint got and answered. The signature is in the headers.
  "request_headers",
  "response_body",
] as const;

const treatments: ReadonlyMap<string, Treatment> = new Map<string, Treatment>([
  ...shown.map((name) => [name, "shown"] as const),
  ...withheld.map((name) => [name, "withheld"] as const),
  ["license_key", "key"],
  // Of webhooks, downloads and invoices: anyone who knows such a URL can use it.
  ["url", "url"],
  ["pdf_url", "url"],
]);

function shownMember(value: unknown, treatment: Treatment): unknown {
  if (typeof value === "string") return shownText(value, treatment);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => shownMember(one, treatment));
  if (treatment !== "shown") return {};
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, shownMember(member, treatmentOf(name))]),
  );
}

function shownText(text: string, treatment: Treatment): string {
  switch (treatment) {
    case "shown":
      return text;
    case "key":
      return shownKey(text);
    case "url":
      return shownUrl(text);
    case "withheld":
      return withheldText;
  }
}

/**
 * The same beginning as in the audit log and the portal, so that two of them together show no more than one. Of a short
 * key, that would be most of it.
 */
function shownKey(key: string): string {
  const isMasked = key.endsWith("…") && key.length <= 5;
  return isMasked || [...key].length >= 12 ? maskedKey(key.replace(/…$/, "")) : withheldText;
}

function shownUrl(url: string): string {
  const origin = URL.parse(url)?.origin ?? "null";
  return origin === "null" ? withheldText : `${origin}/${withheldText}`;
}
