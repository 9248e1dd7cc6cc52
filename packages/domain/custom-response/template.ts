export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: JsonValue;
}

export const placeholderNames = [
  "customer.email",
  "customer.name",
  "customer.discord_id",
  "license.id",
  "license.key",
  "license.expires_at",
  "license.max_ips",
  "license.ip_count",
  "product.id",
  "product.name",
  "organization.id",
  "organization.name",
  "request.version",
  "request.ip",
  "request.device_id",
  "request.time",
] as const;

type PlaceholderName = (typeof placeholderNames)[number];
export type PlaceholderValues = Readonly<Record<PlaceholderName, string | number | null>>;

/** Merging comes first, so a license's override can contain placeholders too. */
export function renderCustom(
  template: JsonObject | null,
  override: JsonObject | null,
  values: PlaceholderValues,
): JsonObject | null {
  const merged = override === null ? template : mergePatch(template ?? {}, override, 1);
  if (merged === null) return null;
  const rendered = expandObject(merged, values, 1);
  return Object.keys(rendered).length === 0 ? null : rendered;
}

type CustomResponse =
  | { ok: true; template: JsonObject }
  | { ok: false; problem: "not_an_object" | "too_deep" | "json_too_large" };

export function parseCustomResponse(value: unknown): CustomResponse {
  const left = { values: maxBytes };
  const template = readJson(value, left, 1);
  if (template === "too large") return { ok: false, problem: "json_too_large" };
  if (template === "too deep") return { ok: false, problem: "too_deep" };
  if (template === "not JSON" || !isJsonObject(template.json)) return { ok: false, problem: "not_an_object" };
  // Not Buffer: the dashboard uses this in the browser to check input.
  const bytes = new TextEncoder().encode(JSON.stringify(template.json)).byteLength;
  if (bytes > maxBytes) return { ok: false, problem: "json_too_large" };
  return { ok: true, template: template.json };
}

/** Protects the stack here and in every parser of the response. */
export const maxDepth = 32;
export const maxBytes = 16 * 1024;

/** RFC 7396: null removes, objects merge, anything else replaces. */
function mergePatch(target: JsonObject, patch: JsonObject, depth: number): JsonObject {
  const merged: MutableObject = {};
  if (depth > maxDepth) return merged;
  for (const [name, value] of Object.entries(target)) setMember(merged, name, value);
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) {
      delete merged[name];
    } else if (isJsonObject(change)) {
      const current = Object.hasOwn(merged, name) ? merged[name] : undefined;
      setMember(merged, name, mergePatch(isJsonObject(current) ? current : {}, change, depth + 1));
    } else {
      setMember(merged, name, change);
    }
  }
  return merged;
}

function expandObject(object: JsonObject, values: PlaceholderValues, depth: number): JsonObject {
  const expanded: MutableObject = {};
  for (const name of Object.keys(object)) {
    const value = object[name];
    if (value !== undefined) setMember(expanded, name, expand(value, values, depth + 1));
  }
  return expanded;
}

function expand(value: JsonValue, values: PlaceholderValues, depth: number): JsonValue {
  if (typeof value === "string") return value.includes("{{") ? expandText(value, values) : value;
  if (typeof value !== "object" || value === null) return value;
  if (depth > maxDepth) return null;
  if (isJsonObject(value)) return expandObject(value, values, depth);
  return value.map((element) => expand(element, values, depth + 1));
}

/** One pass, so that a customer named `{{license.key}}` is just a customer with an odd name. */
function expandText(text: string, values: PlaceholderValues): string | number | null {
  const only = wholePlaceholder.exec(text)?.[1];
  if (only !== undefined && isPlaceholderName(only)) return values[only];
  return text.replace(placeholder, (written, name: string) =>
    isPlaceholderName(name) ? String(values[name] ?? "") : written,
  );
}

const placeholder = /\{\{ ?([a-z_.]+) ?\}\}/g;
const wholePlaceholder = /^\{\{ ?([a-z_.]+) ?\}\}$/;

const knownNames: ReadonlySet<string> = new Set(placeholderNames);

export function isPlaceholderName(name: string): name is PlaceholderName {
  return knownNames.has(name);
}

interface MutableObject {
  [name: string]: JsonValue;
}

/**
 * A member named `__proto__` is dropped: assigning it would replace the prototype here, and passing it on would expose
 * every reader of the response to the same problem.
 */
function setMember(object: MutableObject, name: string, value: JsonValue): void {
  if (name !== "__proto__") object[name] = value;
}

function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

type Unreadable = "not JSON" | "too deep" | "too large";

/**
 * A copy, so that what was checked is what is stored. Every value takes at least a byte, so counting them bounds the
 * work.
 */
function readJson(value: unknown, left: { values: number }, depth: number): { json: JsonValue } | Unreadable {
  if (left.values-- <= 0) return "too large";
  if (value === null || typeof value === "string" || typeof value === "boolean") return { json: value };
  if (typeof value === "number") return Number.isFinite(value) ? { json: value } : "not JSON";
  if (typeof value !== "object") return "not JSON";
  if (depth > maxDepth) return "too deep";

  if (Array.isArray(value)) {
    const elements: JsonValue[] = [];
    for (const element of value) {
      const read = readJson(element, left, depth + 1);
      if (typeof read === "string") return read;
      elements.push(read.json);
    }
    return { json: elements };
  }
  const object: MutableObject = {};
  for (const [name, member] of Object.entries(value)) {
    const read = readJson(member, left, depth + 1);
    if (typeof read === "string") return read;
    setMember(object, name, read.json);
  }
  return { json: object };
}
