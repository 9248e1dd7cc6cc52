import type { Body } from "../../api/client.ts";
import type { Product } from "../../session/products.ts";
import { readObject } from "../../ui/json-field.tsx";
import { fromEnd } from "../../ui/time-fields.tsx";
import { durationOf, exactUnits, secondsOf, type Unit, unitSeconds } from "./bulk-actions.ts";
import { withoutGaps } from "./search.ts";

export const quantities = ["one", "several", "list"] as const;
type Quantity = (typeof quantities)[number];
export type Expiry = "lifetime" | "date" | "from_now" | "first_use";
export type Pin = "any" | "pinned" | "range";

/** A new license, as typed. */
export interface NewDraft {
  readonly productId: string;
  readonly quantity: Quantity;
  readonly count: number | string;
  readonly emails: string;
  readonly email: string;
  readonly discordId: string;
  readonly name: string;
  readonly licenseKey: string;
  readonly expiry: Expiry;
  readonly expiresOn: string;
  readonly amount: number | string;
  readonly unit: Unit;
  readonly maxIps: number | string;
  readonly ipSystem: boolean;
  readonly pin: Pin;
  readonly pinned: string;
  readonly rangeMin: string;
  readonly rangeMax: string;
  readonly notes: string;
  readonly tags: readonly string[];
  readonly metadata: string;
}

/** The props of every field group. */
export interface FieldsProps {
  readonly draft: NewDraft;
  readonly set: (part: Partial<NewDraft>) => void;
  readonly error: Error | null;
}

export const blankDraft: NewDraft = {
  productId: "",
  quantity: "one",
  count: 10,
  emails: "",
  email: "",
  discordId: "",
  name: "",
  licenseKey: "",
  expiry: "lifetime",
  expiresOn: "",
  amount: 1,
  unit: "years",
  maxIps: 1,
  ipSystem: true,
  pin: "any",
  pinned: "",
  rangeMin: "",
  rangeMax: "",
  notes: "",
  tags: [],
  metadata: "",
};

/** The product's defaults for new licenses. */
export function defaultsOf(product: Product): Partial<NewDraft> {
  const days = product.default_expires_in_days;
  return {
    productId: product.id,
    maxIps: product.default_max_ips,
    ipSystem: product.default_ip_system_enabled,
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
    max_ips: Number(draft.maxIps) || undefined,
    ip_system_enabled: draft.ipSystem,
    ...pinOf(draft),
    notes: draft.notes,
    metadata: metadataOf(draft) ?? undefined,
    tags: draft.tags.length === 0 ? undefined : [...draft.tags],
  });
  if (draft.quantity === "list")
    return { licenses: emailsOf(draft.emails).map((email) => ({ customer_email: email, ...fields })) };
  return withoutGaps({
    customer_email: draft.email.trim(),
    customer_discord_id: draft.discordId.trim(),
    customer_name: draft.name.trim(),
    license_key: draft.quantity === "one" ? draft.licenseKey.trim() : undefined,
    ...fields,
    count: draft.quantity === "several" ? Number(draft.count) : undefined,
  }) as Body<"createLicenses">;
}

/** Reads a list separated by line breaks, commas or semicolons. */
export function emailsOf(text: string): string[] {
  return text.split(/[\s,;]+/).filter((part) => part !== "");
}

/** Fields that are collapsed initially. */
const folded = [
  "tags",
  "notes",
  "licenseKey",
  "pin",
  "pinned",
  "rangeMin",
  "rangeMax",
  "metadata",
] as const satisfies readonly (keyof NewDraft)[];

/** How many collapsed fields are filled in. */
export function foldedCount(draft: NewDraft): number {
  const { pin, pinned, rangeMin, rangeMax, ...rest } = pick(draft, folded);
  const others = Object.entries(rest).filter(
    ([name, value]) => !isBlank(name as keyof NewDraft, value),
  ).length;
  return others + (pin === "any" ? 0 : 1);
}

/** The draft of the next license: same terms, no customer, and empty optional fields. */
export function nextDraft(draft: NewDraft): NewDraft {
  const { email, emails, discordId, name } = blankDraft;
  return { ...draft, email, emails, discordId, name, ...pick(blankDraft, folded) };
}

/** What was typed, without the product's defaults. */
export function typedOf(draft: NewDraft): Partial<NewDraft> {
  return pick(draft, ["email", "emails", "discordId", "name", "expiresOn", ...folded]);
}

function isBlank(name: keyof NewDraft, value: unknown): boolean {
  return JSON.stringify(value) === JSON.stringify(blankDraft[name]);
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

function expiryOf({ expiry, expiresOn, amount, unit }: NewDraft) {
  switch (expiry) {
    case "lifetime":
      return { is_lifetime: true };
    case "date":
      return { expires_at: fromEnd(expiresOn) ?? undefined };
    case "from_now":
      return { expires_in: durationOf(amount, unit) ?? undefined };
    case "first_use":
      return { term_seconds: secondsOf(amount, unit) ?? undefined };
  }
}

function pinOf({ pin, pinned, rangeMin, rangeMax }: NewDraft) {
  if (pin === "any") return {};
  if (pin === "pinned") return { version_pin_mode: pin, version_pinned: pinned.trim() };
  return { version_pin_mode: pin, version_range_min: rangeMin.trim(), version_range_max: rangeMax.trim() };
}
