import {
  type ColumnMap,
  type HeaderFault,
  type ImportField,
  importFields,
  maxColumns,
  missingColumn,
} from "./columns.ts";
import type { Cells, RowError } from "./row.ts";
import { type ColumnRule, type ImportSource, type ImportSourceId, importSources } from "./sources.ts";

/** The column of the file that a field comes from, and its value. */
interface Origin {
  readonly column: string;
  readonly value: unknown;
}

/** What a record of another service's export says, by field. */
export type SourceRow = { readonly origins: ReadonlyMap<string, Origin> } & (
  | { readonly kind: "license"; readonly cells: Cells }
  | { readonly kind: "wrong"; readonly error: RowError }
  /** It is no license of its own. */
  | { readonly kind: "skipped" }
  /** It says more about licenses that refer to it. */
  | { readonly kind: "related" }
);

/** Reads the records of one file of another service, in their order. */
export class SourceReader {
  readonly #source: ImportSource;
  readonly #rules: readonly (readonly [column: string, rule: ColumnRule])[];
  readonly #nowMs: number;
  /** Values of users and policies, by type and ID. */
  readonly #related = new Map<string, Readonly<Record<string, unknown>>>();
  #product: string | null = null;

  /** A column of the map has the field there instead of the one of the source; null ignores it. */
  constructor(id: ImportSourceId, map: ColumnMap, nowMs: number) {
    this.#source = importSources[id];
    this.#rules = rulesOf(this.#source, map);
    this.#nowMs = nowMs;
  }

  read(record: object): SourceRow {
    const { type } = this.#source;
    const named = valueAt(record, "type");
    if (type !== undefined && typeof named === "string" && named !== type) {
      this.#remember(named, record);
      return { kind: "related", origins: new Map() };
    }
    const row = new CollectedRow(this.#source, this.#nowMs);
    for (const [column, rule] of this.#rules) {
      const value = valueAt(record, column);
      if (value === undefined) continue;
      if (typeof rule === "object" && "only" in rule) this.#checkProduct(row, { column, value });
      else if (typeof rule === "object" && "record" in rule)
        this.#addRelated(row, rule.record, { column, value }, record);
      else row.add(rule, { column, value }, (name) => valueAt(record, name));
    }
    return row.combined();
  }

  #remember(type: string, record: object): void {
    const related = Object.entries(this.#source.related ?? {}).find(([name]) => name === type)?.[1];
    const id = valueAt(record, "id");
    if (related === undefined || typeof id !== "string" || this.#related.size >= maxRelated) return;
    const values = Object.keys(related.columns).map((column) => [column, valueAt(record, column)] as const);
    const short = values.filter(([, value]) => typeof value !== "object" && String(value).length <= 300);
    this.#related.set(`${type} ${id}`, Object.fromEntries(short));
  }

  #addRelated(row: CollectedRow, type: "users" | "policies", origin: Origin, record: object): void {
    const related = this.#source.related?.[type];
    if (related === undefined || isEmpty(origin.value)) return;
    const values = this.#related.get(`${type} ${origin.value}`);
    if (values === undefined) {
      if (related.unless === null || !isEmpty(valueAt(record, related.unless))) return;
      row.refuse({ field: "term_seconds", code: "record_not_in_file", params: { type } }, origin);
      return;
    }
    for (const [column, rule] of Object.entries(related.columns))
      row.add(rule, { column: origin.column, value: values[column] }, (name) => values[name]);
  }

  #checkProduct(row: CollectedRow, origin: Origin): void {
    if (isEmpty(origin.value)) return;
    this.#product ??= String(origin.value);
    if (String(origin.value) === this.#product) return;
    const params = { first: this.#product.slice(0, 100) };
    row.refuse({ field: "row", code: "other_product_in_file", params }, origin);
  }
}

/** So that a file of millions of users cannot fill the memory. */
const maxRelated = 250_000;

type SourceHeader =
  | { readonly ok: true; readonly names: readonly string[] }
  | { readonly ok: false; readonly fault: HeaderFault };

/** The first row of a CSV file, with the names of the source's columns as the source writes them. */
export function readSourceHeader(cells: readonly string[], id: ImportSourceId, map: ColumnMap): SourceHeader {
  if (cells.length > maxColumns) {
    const params = { columns: cells.length, max: maxColumns };
    return { ok: false, fault: { code: "too_many_columns", params } };
  }
  const missing = missingColumn(cells, map);
  if (missing !== null) return { ok: false, fault: missing };
  const known = rulesOf(importSources[id], map).map(([column]) => column);
  const byPlainName = new Map(known.map((column) => [column.toLowerCase(), column]));
  const names = cells.map((cell) => {
    const name = cell.trim();
    return known.includes(name) ? name : (byPlainName.get(name.toLowerCase()) ?? name);
  });
  if (names.some((name) => known.includes(name))) return { ok: true, names };
  return { ok: false, fault: { code: "no_known_column", params: {} } };
}

/** The rules of a source for each column, after the changes of a map. */
function rulesOf(
  { columns }: ImportSource,
  map: ColumnMap,
): readonly (readonly [column: string, rule: ColumnRule])[] {
  const changed = Object.entries(map).flatMap(([column, field]) =>
    field === null ? [] : [[column, field] as const],
  );
  const isOpen = (column: string) => !Object.hasOwn(map, column);
  // Columns that were added to the export under the names that every import knows.
  const added = importFields.filter((field) => isOpen(field) && !Object.hasOwn(columns, field));
  const kept = Object.entries(columns).filter(([column]) => isOpen(column));
  return [...changed, ...added.map((field) => [field, field] as const), ...kept];
}

/** The value of a column: a member with this name, or at the end of this path. */
export function valueAt(record: unknown, column: string): unknown {
  if (typeof record !== "object" || record === null) return undefined;
  if (Object.hasOwn(record, column)) return (record as Record<string, unknown>)[column];
  const dot = column.indexOf(".");
  if (dot < 0) return undefined;
  return valueAt(valueAt(record, column.slice(0, dot)), column.slice(dot + 1));
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "string" && value.trim() === "");
}

/** What the columns of one record say, until all of them have been read. */
class CollectedRow {
  readonly #source: ImportSource;
  readonly #nowMs: number;
  readonly #cells: { [F in ImportField]?: unknown } = {};
  readonly #origins = new Map<string, Origin>();
  /** Columns without a value, for errors about what is missing. */
  readonly #empty = new Map<string, Origin>();
  /** Without a prototype, because the names are from the file. */
  readonly #metadata: Record<string, unknown> = Object.create(null);
  readonly #notes: string[] = [];
  readonly #tags: string[] = [];
  #error: RowError | null = null;
  #isSkipped = false;
  #hasExpiryColumn = false;
  #termSeconds = 0;
  #revokedBy: Origin | null = null;
  #expiredBy: Origin | null = null;

  constructor(source: ImportSource, nowMs: number) {
    this.#source = source;
    this.#nowMs = nowMs;
  }

  /** The first error counts. */
  refuse(error: RowError, origin: Origin): void {
    this.#error ??= error;
    this.#name(error.field, origin);
  }

  add(rule: ColumnRule, origin: Origin, otherValue: (column: string) => unknown): void {
    if (typeof rule === "string") this.#addField(rule, origin);
    else if ("field" in rule) {
      if (isEmpty(otherValue(rule.unless))) this.#addField(rule.field, origin);
    } else if ("status" in rule) {
      const isUndone = rule.unless !== undefined && isTrue(otherValue(rule.unless));
      if (!isUndone) this.#addStatus(rule.status, origin);
    } else if ("member" in rule) this.#addMember(rule.member, rule.each, origin);
    else if ("termOf" in rule) this.#addTerm(rule.termOf, origin);
    else if ("skip" in rule) this.#isSkipped ||= rule.skip.includes(wordOf(origin.value));
  }

  #addField(field: ImportField, origin: Origin): void {
    const { value } = origin;
    if (field === "expires_at") this.#hasExpiryColumn = true;
    // Null means "unlimited" in every service that counts IP addresses.
    if (field === "max_ips" && (isEmpty(value) || Number(value) === 0))
      this.#set("ip_system_enabled", false, origin);
    if (isEmpty(value)) this.#empty.set(field, origin);
    if (isEmpty(value) || (field === "max_ips" && Number(value) === 0)) return;
    this.#name(field, origin);
    if (field === "status") this.#addStatus(usualWords, origin);
    else if (field === "notes") this.#notes.push(typeof value === "string" ? value : JSON.stringify(value));
    else if (field === "tags") this.#tags.push(...listOf(value));
    else if (field === "metadata") this.#addMetadata(origin);
    else if (times.has(field)) this.#set(field, timeOf(value), origin);
    else
      this.#set(field, typeof value === "number" && field === "license_key" ? String(value) : value, origin);
  }

  /** The first column with a value counts. */
  #set(field: ImportField, value: unknown, origin: Origin): void {
    if (this.#cells[field] !== undefined) return;
    this.#cells[field] = value;
    this.#origins.set(field, origin);
  }

  #name(field: string, origin: Origin): void {
    if (!this.#origins.has(field)) this.#origins.set(field, origin);
  }

  #addStatus(words: Readonly<Record<string, string>>, origin: Origin): void {
    if (isEmpty(origin.value)) return;
    const allowed = Object.keys(words);
    const word = allowed.find((one) => one.toLowerCase() === wordOf(origin.value));
    if (word === undefined) {
      this.refuse({ field: "status", code: "not_one_of", params: { allowed } }, origin);
      return;
    }
    if (words[word] === "revoked") this.#revokedBy ??= origin;
    if (words[word] === "expired") this.#expiredBy ??= origin;
  }

  #addMember(member: string, each: string | undefined, { value }: Origin): void {
    const values =
      each === undefined || !Array.isArray(value) ? value : value.map((one) => valueAt(one, each));
    if (!isEmpty(values) && !(Array.isArray(values) && values.length === 0)) this.#metadata[member] = values;
  }

  /** An object, or a list of keys and values. Any other value gets the last name of its column. */
  #addMetadata({ column, value }: Origin): void {
    const parsed = typeof value === "string" && /^\s*[{[]/.test(value) ? jsonOf(value) : value;
    if (Array.isArray(parsed)) {
      for (const pair of parsed) {
        const key = valueAt(pair, "key");
        if (typeof key === "string") this.#metadata[key] = valueAt(pair, "value") ?? null;
      }
    } else if (typeof parsed === "object" && parsed !== null) Object.assign(this.#metadata, parsed);
    else this.#metadata[column.split(".").at(-1) ?? column] = value;
  }

  #addTerm(unitSeconds: number, origin: Origin): void {
    if (isEmpty(origin.value) || Number(origin.value) === 0) return;
    this.#name("term_seconds", origin);
    this.#termSeconds = Number(origin.value) * unitSeconds;
  }

  combined(): SourceRow {
    const origins = new Map([...this.#empty, ...this.#origins]);
    const cells = this.#cells;
    if (this.#isSkipped || (cells.license_key === undefined && this.#source.skipsRowsWithoutKey))
      return { kind: "skipped", origins };
    // A new key would be of no use to anyone who has the old one.
    if (cells.license_key === undefined)
      this.refuse(
        { field: "license_key", code: "too_short", params: { count: 1 } },
        { column: "", value: "" },
      );
    if (this.#error !== null) return { kind: "wrong", error: this.#error, origins };
    if (this.#notes.length > 0) cells.notes = [...new Set(this.#notes)].join("\n");
    if (this.#tags.length > 0) cells.tags = [...new Set(this.#tags)];
    if (Object.keys(this.#metadata).length > 0) cells.metadata = this.#metadata;
    this.#addExpiry();
    this.#addRevocation();
    return { kind: "license", cells, origins };
  }

  /** A date, else a term, else none: the product's usual term is for new licenses. */
  #addExpiry(): void {
    const cells = this.#cells;
    if (cells.expires_at !== undefined || cells.is_lifetime !== undefined) return;
    if (this.#termSeconds !== 0) cells.term_seconds ??= this.#termSeconds;
    else if (this.#hasExpiryColumn && cells.term_seconds === undefined) cells.is_lifetime = true;
  }

  /**
   * An active license says nothing, so that an import never reinstates one that was revoked here. An expired one needs a
   * date in the past, or it would become valid.
   */
  #addRevocation(): void {
    const cells = this.#cells;
    const isPast = Date.parse(String(cells.expires_at)) <= this.#nowMs;
    const by = this.#revokedBy ?? (isPast ? null : this.#expiredBy);
    if (by === null) return;
    cells.status = "revoked";
    cells.revoked_reason ??= `${this.#source.name}: ${by.column} is ${wordOf(by.value)}`.slice(0, 500);
    this.#name("status", by);
  }
}

/** Where a map names a column that holds a status. */
const usualWords: Readonly<Record<string, string>> = {
  ...{ active: "active", valid: "active", inactive: "active", enabled: "active", expiring: "active" },
  ...{ expired: "expired" },
  ...{
    revoked: "revoked",
    suspended: "revoked",
    banned: "revoked",
    disabled: "revoked",
    refunded: "revoked",
  },
};

const times: ReadonlySet<ImportField> = new Set(["expires_at", "created_at", "revoked_at", "first_used_at"]);

function wordOf(value: unknown): string {
  return String(value).trim().toLowerCase();
}

function isTrue(value: unknown): boolean {
  return ["1", "true", "yes"].includes(wordOf(value));
}

function listOf(value: unknown): string[] {
  const parsed = typeof value === "string" && value.trimStart().startsWith("[") ? jsonOf(value) : value;
  if (Array.isArray(parsed)) return parsed.map(String);
  return String(value)
    .split(/[;,]/)
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

/** Times of these services are in UTC where they name no zone, and some have a space before it. */
function timeOf(value: unknown): unknown {
  const [, day, time, zone] =
    /^\s*(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)\s*(\S*)\s*$/.exec(String(value)) ?? [];
  if (day === undefined || time === undefined) return value;
  const offset = /^[+-]\d{4}$/.test(zone ?? "") ? `${zone?.slice(0, 3)}:${zone?.slice(3)}` : zone;
  return `${day}T${time.replace(/(\.\d{9})\d+$/, "$1")}${offset === "" || offset === "UTC" ? "Z" : offset}`;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
