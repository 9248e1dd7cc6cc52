/** The fields a file can contain, by the names that the export writes. */
export const importFields = [
  "license_key",
  "customer_email",
  "customer_name",
  "customer_discord_id",
  "status",
  "is_lifetime",
  "expires_at",
  "term_seconds",
  "first_used_at",
  "ip_system_enabled",
  "max_ips",
  "ips",
  "ips_registered_at",
  "notes",
  "version_pin_mode",
  "version_pinned",
  "version_range_min",
  "version_range_max",
  "custom_override",
  "metadata",
  "tags",
  "revoked_at",
  "revoked_reason",
  "created_at",
] as const;

export type ImportField = (typeof importFields)[number];

/** Exported fields that Countersign determines itself: ignored on import. */
const ownFields = [
  "id",
  "organization_id",
  "product_id",
  "product_name",
  "global_customer_id",
  "current_unique_ip_count",
  "updated_at",
  // The columns added to the file of rejected rows, so that it can be corrected and imported again.
  "import_row",
  "import_error",
] as const;

/** Maps a column of the file to a field; null for a column to ignore. */
export type ColumnMap = Readonly<Record<string, ImportField | null>>;

type Meaning = { readonly ok: true; readonly field: ImportField | null } | { readonly ok: false };

/** The field of a column, by the map or by its own name. An unknown name is rejected, because it may be a typo. */
export function meaningOf(column: string, map: ColumnMap): Meaning {
  const name = column.trim();
  if (Object.hasOwn(map, name)) return { ok: true, field: map[name] ?? null };
  const plain = name.toLowerCase();
  const field = importFields.find((candidate) => candidate === plain);
  if (field !== undefined) return { ok: true, field };
  if (ownFields.some((name) => name === plain)) return { ok: true, field: null };
  return { ok: false };
}

type Header =
  | { readonly ok: true; readonly fields: readonly (ImportField | null)[] }
  | { readonly ok: false; readonly fault: HeaderFault };

export type HeaderFault =
  | {
      readonly code: "too_many_columns";
      readonly params: { readonly columns: number; readonly max: number };
    }
  | { readonly code: "unknown_column"; readonly params: { readonly column: string } }
  | { readonly code: "duplicate_column"; readonly params: { readonly name: ImportField } }
  | {
      readonly code: "column_not_in_file";
      readonly params: { readonly column: string; readonly found: string };
    }
  | { readonly code: "no_known_column"; readonly params: object };

/**
 * Every row is read column by column: with a million columns in the first row, a million short rows would take a day.
 */
export const maxColumns = 500;

/** The first row of a CSV file, column by column. */
export function readHeader(cells: readonly string[], map: ColumnMap): Header {
  if (cells.length > maxColumns)
    return refuse({ code: "too_many_columns", params: { columns: cells.length, max: maxColumns } });
  const fields: (ImportField | null)[] = [];
  for (const cell of cells) {
    const meaning = meaningOf(cell, map);
    if (!meaning.ok) return refuse({ code: "unknown_column", params: { column: shortened(cell.trim()) } });
    if (meaning.field !== null && fields.includes(meaning.field)) {
      return refuse({ code: "duplicate_column", params: { name: meaning.field } });
    }
    fields.push(meaning.field);
  }
  const missing = missingColumn(cells, map);
  if (missing !== null) return refuse(missing);
  if (fields.every((field) => field === null)) {
    return refuse({ code: "no_known_column", params: {} });
  }
  return { ok: true, fields };
}

/** A column that is mapped and not there. */
export function missingColumn(cells: readonly string[], map: ColumnMap): HeaderFault | null {
  const names = cells.map((cell) => cell.trim());
  const missing = Object.keys(map).find((name) => !names.includes(name));
  if (missing === undefined) return null;
  const params = { column: shortened(missing), found: shortened(names.join(", ")) };
  return { code: "column_not_in_file", params };
}

function refuse(fault: HeaderFault): Header {
  return { ok: false, fault };
}

function shortened(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
