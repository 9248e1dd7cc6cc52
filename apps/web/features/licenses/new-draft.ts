import type { Body } from "../../api/client.ts";
import type { Product } from "../../session/products.ts";
import { readObject } from "../../ui/json-field.tsx";
import { fromEnd } from "../../ui/time-fields.tsx";
import { durationOf, exactUnits, secondsOf, type Unit, unitSeconds } from "./bulk-actions.ts";
import { withoutGaps } from "./search.ts";

export const quantities = ["one", "several", "list"] as const;
export const expiries = ["lifetime", "from_now", "first_use", "date"] as const;
export const pins = ["any", "pinned", "range"] as const;
type Expiry = (typeof expiries)[number];

/** A new license, as typed. Fields that are sent as they are have the names of the API. */
export interface NewDraft {
  readonly productId: string;
  readonly quantity: (typeof quantities)[number];
  readonly count: number | "";
  readonly emails: string;
  readonly customer_email: string;
  readonly customer_discord_id: string;
  readonly customer_name: string;
  readonly license_key: string;
  readonly expiry: Expiry;
  readonly expires_at: string;
  readonly amount: number | "";
  readonly unit: Unit;
  readonly max_ips: number | "";
  readonly ip_system_enabled: boolean;
  readonly version_pin_mode: (typeof pins)[number];
  readonly version_pinned: string;
  readonly version_range_min: string;
  readonly version_range_max: string;
  readonly notes: string;
  readonly tags: readonly string[];
  readonly metadata: string;
}

export const blankDraft: NewDraft = {
  productId: "",
  quantity: "one",
  count: 10,
  emails: "",
  customer_email: "",
  customer_discord_id: "",
  customer_name: "",
  license_key: "",
  expiry: "lifetime",
  expires_at: "",
  amount: 1,
  unit: "years",
  max_ips: 1,
  ip_system_enabled: true,
  version_pin_mode: "any",
  version_pinned: "",
  version_range_min: "",
  version_range_max: "",
  notes: "",
  tags: [],
  metadata: "",
};

/** The product's defaults for new licenses. */
export function defaultsOf(product: Product): Partial<NewDraft> {
  const days = product.default_expires_in_days;
  return {
    productId: product.id,
    max_ips: product.default_max_ips,
    ip_system_enabled: product.default_ip_system_enabled,
    ...(days === null ? { expiry: "lifetime" } : { expiry: "from_now", amount: days, unit: "days" }),
  };
}

/** A term from first use is a number of days, because its months are not known yet. */
export function expiryChosen({ amount, unit }: NewDraft, expiry: Expiry): Partial<NewDraft> {
  if (expiry !== "first_use" || exactUnits.includes(unit)) return { expiry };
  return { expiry, amount: (Number(amount) * unitSeconds[unit]) / unitSeconds.days, unit: "days" };
}

export function bodyOf(draft: NewDraft): Body<"createLicenses"> {
  const fields = withoutGaps({
    ...expiryOf(draft),
    max_ips: Number(draft.max_ips) || undefined,
    ip_system_enabled: draft.ip_system_enabled,
    ...pinOf(draft),
    notes: draft.notes,
    metadata: metadataOf(draft) ?? undefined,
    tags: draft.tags.length === 0 ? undefined : [...draft.tags],
  });
  if (draft.quantity === "list")
    return { licenses: emailsOf(draft.emails).map((email) => ({ customer_email: email, ...fields })) };
  return withoutGaps({
    customer_email: draft.customer_email.trim(),
    customer_discord_id: draft.customer_discord_id.trim(),
    customer_name: draft.customer_name.trim(),
    license_key: draft.quantity === "one" ? draft.license_key.trim() : undefined,
    ...fields,
    count: draft.quantity === "several" ? Number(draft.count) : undefined,
  }) as Body<"createLicenses">;
}

/** Reads a list separated by line breaks, commas or semicolons. */
export function emailsOf(text: string): string[] {
  return text.split(/[\s,;]+/).filter((part) => part !== "");
}

const customerFields = ["customer_email", "emails", "customer_discord_id", "customer_name"] as const;

/** Of the fields that are collapsed initially, those that count as filled in. */
const countedFields = ["tags", "notes", "license_key", "version_pin_mode", "metadata"] as const;

/** Fields that are collapsed initially. */
export const collapsedFields = [
  ...countedFields,
  "version_pinned",
  "version_range_min",
  "version_range_max",
] as const;

/** How many collapsed fields are filled in. */
export function filledCount(draft: NewDraft): number {
  return countedFields.filter((name) => JSON.stringify(draft[name]) !== JSON.stringify(blankDraft[name]))
    .length;
}

/** The draft of the next license: same terms, no customer, and empty optional fields. */
export function nextDraft(draft: NewDraft): NewDraft {
  return { ...draft, ...pick(blankDraft, [...customerFields, ...collapsedFields]) };
}

/** What was typed, without the product's defaults. */
export function typedOf(draft: NewDraft): Partial<NewDraft> {
  return pick(draft, [...customerFields, "expires_at", ...collapsedFields]);
}

function pick<Name extends keyof NewDraft>(draft: NewDraft, names: readonly Name[]): Pick<NewDraft, Name> {
  return Object.fromEntries(names.map((name) => [name, draft[name]])) as Pick<NewDraft, Name>;
}

export function countOf(draft: NewDraft): number {
  if (draft.quantity === "list") return emailsOf(draft.emails).length;
  return draft.quantity === "several" ? Number(draft.count) || 0 : 1;
}

function metadataOf({ metadata }: NewDraft) {
  const read = readObject(metadata);
  return read.ok ? read.value : null;
}

function expiryOf({ expiry, expires_at: end, amount, unit }: NewDraft) {
  switch (expiry) {
    case "lifetime":
      return { is_lifetime: true };
    case "date":
      return { expires_at: fromEnd(end) ?? undefined };
    case "from_now":
      return { expires_in: durationOf(amount, unit) ?? undefined };
    case "first_use":
      return { term_seconds: secondsOf(amount, unit) ?? undefined };
  }
}

function pinOf(draft: NewDraft) {
  const { version_pin_mode: mode } = draft;
  if (mode === "any") return {};
  if (mode === "pinned") return { version_pin_mode: mode, version_pinned: draft.version_pinned.trim() };
  return {
    version_pin_mode: mode,
    version_range_min: draft.version_range_min.trim(),
    version_range_max: draft.version_range_max.trim(),
  };
}
