import { type ImportField, importFields } from "@countersign/domain/license-files/columns";
import { type ImportSourceId, importSources } from "@countersign/domain/license-files/sources";
import type { HelpTopic } from "../../ui/help.tsx";

/** Other names of columns, without spaces and punctuation, in the dashboard's languages. */
const otherNames: Partial<Record<ImportField, readonly string[]>> = {
  license_key: [
    "key",
    "license",
    "licence",
    "licencekey",
    "serial",
    "serialnumber",
    "lizenz",
    "schluessel",
    "schlüssel",
    "lizenzschlüssel",
    "lizenzschluessel",
    "clave",
    "licencia",
    "clavedelicencia",
    "code",
  ],
  customer_email: [
    "email",
    "mail",
    "emailaddress",
    "customeremail",
    "buyeremail",
    "correo",
    "correoelectronico",
    "correoelectrónico",
    "purchaseemail",
    "useremail",
  ],
  customer_name: [
    "name",
    "customer",
    "customername",
    "fullname",
    "buyer",
    "kunde",
    "kundenname",
    "cliente",
    "nombre",
  ],
  customer_discord_id: ["discord", "discordid", "discorduserid", "discorduser"],
  status: ["state", "zustand", "estado"],
  is_lifetime: ["lifetime", "perpetual", "unbegrenzt", "lebenslang", "vitalicia"],
  expires_at: [
    "expires",
    "expiry",
    "expirydate",
    "expiration",
    "expirationdate",
    "expiresat",
    "expireson",
    "validuntil",
    "enddate",
    "ablauf",
    "gültigbis",
    "gueltigbis",
    "läuftab",
    "caduca",
    "caducidad",
    "vencimiento",
    "expiredate",
  ],
  first_used_at: ["firstused", "activatedat", "activated", "firstuse", "aktiviert", "activada"],
  ip_system_enabled: ["iplimit", "ipsystem", "iplock"],
  max_ips: [
    "maxips",
    "maxip",
    "ips allowed",
    "iplimitcount",
    "seats",
    "maxactivations",
    "activationlimit",
    "machines",
    "maxmachines",
    "limit",
  ],
  ips: ["ip", "ipaddress", "ipaddresses", "addresses", "registeredips"],
  notes: ["note", "comment", "comments", "notiz", "notizen", "bemerkung", "nota", "notas", "comentario"],
  tags: ["tag", "labels", "label", "schlagworte", "etiquetas"],
  metadata: ["meta", "metadaten", "metadatos"],
  revoked_at: ["revoked", "revokedon", "widerrufenam"],
  revoked_reason: ["revokereason", "reason", "grund", "motivo"],
  created_at: [
    "created",
    "createdon",
    "createdat",
    "purchased",
    "purchasedate",
    "orderdate",
    "date",
    "erstellt",
    "erstelltam",
    "gekauft",
    "creada",
    "fecha",
  ],
};

/** Guesses the field of each column. No field is used twice. */
export function guessColumns(columns: readonly string[]): Record<string, ImportField | null> {
  const taken = new Set<ImportField>();
  const meanings: Record<string, ImportField | null> = {};
  // Exact field names have priority.
  for (const certain of [true, false]) {
    for (const column of columns) {
      if (meanings[column]) continue;
      const field = importFields.find((one) => !taken.has(one) && isNameOf(column, one, certain)) ?? null;
      meanings[column] = field;
      if (field !== null) taken.add(field);
    }
  }
  return meanings;
}

function isNameOf(column: string, field: ImportField, certain: boolean): boolean {
  const plain = bare(column);
  if (plain === bare(field)) return true;
  return !certain && (otherNames[field] ?? []).some((name) => bare(name) === plain);
}

function bare(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** What a source does with a column: the field that it becomes, another use of it, or null. */
export function columnUse(
  source: ImportSourceId,
  column: string,
): { readonly field: ImportField } | { readonly use: "product" | "skips" } | null {
  const { columns } = importSources[source];
  const known = Object.keys(columns).find((one) => one.toLowerCase() === column.toLowerCase());
  const own = importFields.find((field) => field === column);
  if (known === undefined) return own === undefined ? null : { field: own };
  const rule = columns[known];
  if (rule === undefined) return null;
  if (typeof rule === "string") return { field: rule };
  if ("field" in rule) return { field: rule.field };
  if ("status" in rule) return { field: "status" };
  if ("member" in rule) return { field: "metadata" };
  if ("termOf" in rule) return { field: "term_seconds" };
  if ("record" in rule) return { field: rule.record === "users" ? "customer_email" : "term_seconds" };
  return { use: "only" in rule ? "product" : "skips" };
}

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
  const firstFields = new Map<HelpTopic, ImportField>();
  for (const field of fields) {
    const topic = field === null ? null : topics[field];
    if (field !== null && topic !== null && !firstFields.has(topic)) firstFields.set(topic, field);
  }
  return [...firstFields].map(([topic, field]) => ({ topic, field }));
}
