import { minuteMs } from "@countersign/domain/dates/lengths";
import type { Permission } from "@countersign/domain/members/permissions";
import { shownPrefix, unusedAfterMs } from "@countersign/domain/products/api-key";
import { organizationById } from "@countersign/store/queries/organizations/organizations";
import { productsWithUnusedKeys, takeUnusedKeys } from "@countersign/store/queries/products/keys";
import { productById } from "@countersign/store/queries/products/products";
import type { Database, Store } from "@countersign/store/store";
import { neverAborted, slicesOf } from "../../jobs/batches.ts";
import type { PeriodicJob } from "../../jobs/periodic-jobs.ts";
import { compose } from "../mail/compose.ts";
import { type Email, type Recipient, writeEmails } from "../mail/email.ts";
import { recipientsWith } from "../members/recipients.ts";

const productsAtOnce = 100;

/** Who can end a key. */
const keyManagers: readonly Permission[] = ["products:manage", "products:rotate_key"];

/**
 * Sends an email about API keys that have not been used for 30 days: one per product, once per key. The node that marks
 * a key writes the email, in the same transaction, so several nodes can run this.
 */
export function unusedKeysCheck(
  store: Store,
  url: string,
  clock: () => Promise<number> = () => store.clock(),
): PeriodicJob {
  const run = async (stopping = neverAborted) => {
    const nowMs = await clock();
    const when = { nowMs, unusedSinceMs: nowMs - unusedAfterMs };
    const next = () => productsWithUnusedKeys(store.reads, { ...when, limit: productsAtOnce });
    for await (const due of slicesOf(productsAtOnce, stopping, next))
      for (const productId of due) {
        if (stopping.aborted) return;
        await store.transaction((db) => emailAboutKeys(db, productId, url, when));
      }
  };
  return { name: "unused API keys", everyMs: 10 * minuteMs, run };
}

async function emailAboutKeys(
  db: Database,
  productId: string,
  url: string,
  when: { readonly nowMs: number; readonly unusedSinceMs: number },
): Promise<void> {
  const keys = await takeUnusedKeys(db, productId, when);
  const product = keys.length === 0 ? undefined : await productById(db, productId);
  const organization =
    product === undefined ? undefined : await organizationById(db, product.organization_id);
  if (product === undefined || organization === undefined) return;
  const recipients = await recipientsWith(db, organization, keyManagers);
  const facts = {
    product: product.name,
    keys: [...keys].sort((a, b) => a.created_at - b.created_at),
    url: `${url}/o/${organization.slug}/products/${productId}/keys`,
  };
  await writeEmails(
    db,
    recipients.map((recipient) => unusedKeysEmail(recipient, facts)),
    when.nowMs,
  );
}

export function unusedKeysEmail(
  to: Recipient,
  facts: {
    readonly product: string;
    readonly keys: readonly { readonly public_id: string; readonly name: string }[];
    readonly url: string;
  },
): Email {
  return compose(to, "api_keys_unused", {
    values: { product: facts.product },
    before: ["api_keys_unused.what"],
    facts: facts.keys.map(({ public_id, name }) => ({
      label: "label.api_key",
      value: name === "" ? `${shownPrefix(public_id)}…` : `${name} (${shownPrefix(public_id)}…)`,
    })),
    action: { label: "api_keys_unused.action", url: facts.url },
    after: ["api_keys_unused.revoke", "api_keys_unused.once"],
  });
}
