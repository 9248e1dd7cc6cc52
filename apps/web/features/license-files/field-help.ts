import type { ImportField } from "@countersign/domain/license-files/columns";
import type { HelpTopic } from "../../ui/validate-help.tsx";

/** How a field affects the response of validate; null if it does not. */
const topics: Record<ImportField, HelpTopic | null> = {
  license_key: null,
  customer_email: null,
  customer_name: null,
  customer_discord_id: null,
  status: "revoked",
  is_lifetime: "expiry",
  expires_at: "expiry",
  term_seconds: "expiry",
  first_used_at: "expiry",
  ip_system_enabled: "ipLimit",
  max_ips: "ipLimit",
  ips: "ipLimit",
  ips_registered_at: null,
  notes: null,
  version_pin_mode: "versions",
  version_pinned: "versions",
  version_range_min: "versions",
  version_range_max: "versions",
  custom_override: "customOverride",
  metadata: null,
  tags: null,
  revoked_at: "revoked",
  revoked_reason: null,
  created_at: null,
};

/** The help for a file's fields: each topic once, at its first field. */
export function helpFor(
  fields: readonly (ImportField | null)[],
): { readonly topic: HelpTopic; readonly field: ImportField }[] {
  const found = new Map<HelpTopic, ImportField>();
  for (const field of fields) {
    const topic = field === null ? null : topics[field];
    if (field !== null && topic !== null && !found.has(topic)) found.set(topic, field);
  }
  return [...found].map(([topic, field]) => ({ topic, field }));
}
