import { fieldFault } from "@countersign/contract/problems/problems";
import { dayMs } from "@countersign/domain/dates/lengths";
import { matchForm, parseImportedKey } from "@countersign/domain/licenses/key";
import { noPin, type Pin } from "@countersign/domain/licenses/version-pin";
import type { CustomerIdentifiers } from "@countersign/store/queries/customers/identify";
import type { NewLicense } from "@countersign/store/queries/licenses/create";
import type { ProductRow } from "@countersign/store/tables/products";
import { expiryOf, FieldErrors, jsonColumns, type LicenseInput, pinOf, uniqueTags } from "./fields.ts";

/** A checked license that has everything but its ID, its key if none was given, and its customer's ID. */
export interface Draft
  extends Omit<NewLicense, "id" | "organizationId" | "productId" | "customerId" | "key" | "searchText"> {
  readonly key: string | null;
  readonly customer: CustomerIdentifiers;
}

/** Checks all of them before any is created, and reports every error. */
export function readDrafts(
  inputs: readonly LicenseInput[],
  prefixOf: (index: number) => string,
  product: ProductRow,
  timeZone: string,
  nowMs: number,
): Draft[] {
  const errors = new FieldErrors();
  const keys = new Map<string, string>();
  const alike = new Map<LicenseInput, Draft>();
  const drafts = inputs.map((input, index) => {
    const prefix = prefixOf(index);
    // With `count`, all of them share one input, which is checked once.
    const known = alike.get(input);
    if (known !== undefined) return known;
    const draft = readDraft(input, prefix, product, timeZone, nowMs, errors);
    alike.set(input, draft);
    if (draft.key !== null) {
      const before = keys.get(matchForm(draft.key));
      if (before !== undefined)
        errors.add(
          `${prefix}license_key`,
          fieldFault("duplicate_license_key", { other: `${before}license_key` }),
        );
      keys.set(matchForm(draft.key), prefix);
    }
    return draft;
  });
  errors.throwIfAny();
  return drafts;
}

function readDraft(
  input: LicenseInput,
  prefix: string,
  product: ProductRow,
  timeZone: string,
  nowMs: number,
  errors: FieldErrors,
): Draft {
  const customer = {
    email: input.customer_email ?? null,
    discordId: input.customer_discord_id ?? null,
    name: input.customer_name ?? null,
  };
  if (customer.email === null && customer.discordId === null) {
    errors.add(`${prefix}customer_email`, fieldFault("customer_missing"));
  }
  const { custom_override: customOverride = null, metadata = null } = jsonColumns(input, prefix, errors);
  return {
    key: readKey(input.license_key, prefix, errors),
    customer,
    ...readEnd(input, prefix, product, timeZone, nowMs, errors),
    maxIps: input.max_ips ?? product.default_max_ips,
    ipSystemEnabled: input.ip_system_enabled ?? product.default_ip_system_enabled === 1,
    notes: input.notes ?? null,
    pin: readPin(input, prefix, errors),
    customOverride,
    metadata,
    tags: uniqueTags(input.tags ?? []),
  };
}

function readKey(text: string | undefined, prefix: string, errors: FieldErrors): string | null {
  if (text === undefined) return null;
  const read = parseImportedKey(text);
  if (read.ok) return read.key;
  errors.add(`${prefix}license_key`, read.fault);
  return null;
}

function readEnd(
  input: LicenseInput,
  prefix: string,
  product: ProductRow,
  timeZone: string,
  nowMs: number,
  errors: FieldErrors,
): { expiresAtMs: number | null; termMs: number | null } {
  const answer = expiryOf(input, null, nowMs, timeZone);
  if (!answer.ok) {
    errors.add(prefix + answer.field, answer.fault);
    return { expiresAtMs: null, termMs: null };
  }
  if (answer.expiry !== null) return answer.expiry;
  const days = product.default_expires_in_days;
  if (days === null && input.is_lifetime === false) {
    errors.add(`${prefix}expires_at`, fieldFault("expiry_missing"));
  }
  return { expiresAtMs: days === null ? null : nowMs + days * dayMs, termMs: null };
}

function readPin(input: LicenseInput, prefix: string, errors: FieldErrors): NewPin {
  const answer = pinOf(noPin, input);
  if (!answer.ok) {
    errors.add(prefix + answer.field, answer.fault);
    return null;
  }
  return asNewPin(answer.pin);
}

type NewPin = Exclude<NewLicense["pin"], undefined>;

function asNewPin({ mode, pinned, min, max }: Pin): NewPin {
  if (mode === null) return null;
  return mode === "pinned" ? { mode, version: pinned ?? "" } : { mode, min, max };
}
