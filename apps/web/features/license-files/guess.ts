import { type ImportField, importFields } from "@countersign/domain/license-files/columns";

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
