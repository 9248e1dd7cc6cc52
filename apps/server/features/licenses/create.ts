import { fieldErrorBody, fieldFault } from "@countersign/contract/problems/problems";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { dayMs } from "@countersign/domain/dates/lengths";
import { maskedKey, matchForm, parseImportedKey } from "@countersign/domain/licenses/key";
import { searchText } from "@countersign/domain/licenses/search-text";
import { noPin, type Pin } from "@countersign/domain/licenses/version-pin";
import { newId } from "@countersign/store/new-id";
import { customersInBulk, identifierOf } from "@countersign/store/queries/customers/bulk";
import type { CustomerIdentifiers } from "@countersign/store/queries/customers/identify";
import { licenseRow, type NewLicense, tagRows, takenKeys } from "@countersign/store/queries/licenses/create";
import { type ShownLicense, shownLicenses } from "@countersign/store/queries/licenses/views";
import type { Database } from "@countersign/store/store";
import type { ProductRow } from "@countersign/store/tables/products";
import type { Context } from "../../api/context.ts";
import { Problem } from "../../http/problem.ts";
import { audit } from "../audit-log/record.ts";
import { recordCreated } from "../events/record-changes.ts";
import { expiryOf, FieldErrors, jsonColumns, type LicenseInput, pinOf, uniqueTags } from "./fields.ts";

/** A draft with the ID of its license. */
export type IdentifiedDraft = Draft & { readonly id: string; readonly key: string };

/** Creates licenses inside a transaction, with their customers and tags, and returns them as they are shown. */
export async function addLicenses(
  db: Database,
  context: Context,
  product: ProductRow,
  drafts: readonly IdentifiedDraft[],
): Promise<ShownLicense[]> {
  const { nowMs, store } = context;
  const { organization_id: organizationId, id: productId } = product;
  const customers = await customersInBulk(
    db,
    organizationId,
    drafts.map((draft) => draft.customer),
    { bulk: store.bulk, newId, nowMs },
  );
  const licenses = drafts.map(({ customer: who, ...draft }): NewLicense => {
    const customer = customers.get(identifierOf(who));
    if (customer === undefined) throw new Error("A license has no customer.");
    const { email, name, discordId } = customer;
    const text = searchText({
      key: draft.key,
      email,
      name,
      discordId,
      notes: draft.notes ?? null,
      tags: draft.tags ?? [],
    });
    return { ...draft, organizationId, productId, customerId: customer.id, searchText: text };
  });
  await store.bulk.insert(
    db,
    "licenses",
    licenses.map((license) => licenseRow(license, nowMs)),
  );
  await store.bulk.insert(db, "license_tags", licenses.flatMap(tagRows));
  await audit(
    db,
    context,
    ...drafts.map((draft) => ({
      action: "license.created",
      subject: { kind: "license", id: draft.id, name: maskedKey(draft.key) },
      after: {
        product_id: productId,
        customer_email: draft.customer.email,
        customer_discord_id: draft.customer.discordId,
        expires_at: isoTime(draft.expiresAtMs ?? null),
        ...(draft.termMs === null || draft.termMs === undefined ? {} : { term_seconds: draft.termMs / 1000 }),
      },
    })),
  );
  const ids = drafts.map(({ id }) => id);
  const created = await shownLicenses(db, ids, nowMs);
  await recordCreated(db, nowMs, created);
  return created;
}

/** Rejects keys that another license of the product has, and names them. */
export async function checkKeysAreFree(
  db: Database,
  productId: string,
  drafts: readonly { readonly key: string | null; readonly id?: string }[],
  prefixOf: (index: number) => string,
): Promise<void> {
  const given = drafts.flatMap(({ key, id }, index) => (key === null ? [] : [{ key, id, index }]));
  const taken = await takenKeys(
    db,
    productId,
    given.map(({ key }) => matchForm(key)),
  );
  const clashes = given.filter(({ key, id }) => {
    const holder = taken.get(matchForm(key));
    return holder !== undefined && holder !== id;
  });
  if (clashes.length === 0) return;
  const errors = clashes
    .slice(0, 100)
    .map(({ key, index }) =>
      fieldErrorBody(`${prefixOf(index)}license_key`, fieldFault("license_key_taken", { license_key: key })),
    );
  const detail = errors.slice(0, 5).map((error) => error.message);
  throw new Problem("license_keys_taken", { count: clashes.length }, { errors, detail: detail.join(" ") });
}

/** A checked license that has everything but its ID, its key if none was given, and its customer's ID. */
export interface Draft
  extends Omit<NewLicense, "id" | "organizationId" | "productId" | "customerId" | "key" | "searchText"> {
  readonly key: string | null;
  readonly customer: CustomerIdentifiers;
}

/** What decides about members that an input leaves out, and what its times mean. */
interface DraftDefaults {
  readonly product: ProductRow;
  readonly timeZone: string;
  readonly nowMs: number;
}

/** Checks all of them before any is created, and reports every error. */
export function readDrafts(
  inputs: readonly LicenseInput[],
  prefixOf: (index: number) => string,
  defaults: DraftDefaults,
): Draft[] {
  const errors = new FieldErrors();
  const keys = new Map<string, string>();
  const alike = new Map<LicenseInput, Draft>();
  const drafts = inputs.map((input, index) => {
    const prefix = prefixOf(index);
    // With `count`, all of them share one input, which is checked once.
    const known = alike.get(input);
    if (known !== undefined) return known;
    const draft = readDraft(input, prefix, defaults, errors);
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

function readDraft(input: LicenseInput, prefix: string, defaults: DraftDefaults, errors: FieldErrors): Draft {
  const { product } = defaults;
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
    ...readEnd(input, prefix, defaults, errors),
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
  { product, timeZone, nowMs }: DraftDefaults,
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
