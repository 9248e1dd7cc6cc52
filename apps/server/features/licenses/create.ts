import { fieldErrorBody, fieldFault } from "@countersign/contract/problems/problems";
import { maskedKey, matchForm } from "@countersign/domain/licenses/key";
import { searchText } from "@countersign/domain/licenses/search-text";
import { newId } from "@countersign/store/new-id";
import { customersInBulk, identifierOf } from "@countersign/store/queries/customers/bulk";
import { licenseRow, type NewLicense, tagRows, takenKeys } from "@countersign/store/queries/licenses/create";
import { type ShownLicense, shownLicenses } from "@countersign/store/queries/licenses/views";
import type { Database } from "@countersign/store/store";
import type { ProductRow } from "@countersign/store/tables/products";
import type { Context } from "../../api/context.ts";
import { iso } from "../../api/page.ts";
import { Problem } from "../../http/problem.ts";
import { audit } from "../audit-log/record.ts";
import { recordCreated } from "../events/record-changes.ts";
import type { Draft } from "./draft.ts";

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
    store.bulk,
    organizationId,
    drafts.map((draft) => draft.customer),
    newId,
    nowMs,
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
        expires_at: iso(draft.expiresAtMs ?? null),
        ...(draft.termMs === null || draft.termMs === undefined ? {} : { term_seconds: draft.termMs / 1000 }),
      },
    })),
  );
  const ids = drafts.map(({ id }) => id);
  const created = await shownLicenses(db, ids, nowMs);
  await recordCreated(db, nowMs, created);
  return created;
}

/** Rejects keys that already exist in the product, and names them. `mine` are those being created. */
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
