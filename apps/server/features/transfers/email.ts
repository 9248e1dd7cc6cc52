import { brandingOf } from "@countersign/store/queries/branding/branding";
import type { Database } from "@countersign/store/store";
import type { TransferRow } from "@countersign/store/tables/portal";
import type { ProductRow } from "@countersign/store/tables/products";
import type { OrganizationContext } from "../../api/context.ts";
import { type Email, writeEmail } from "../mail/email.ts";
import { portalLink, type TransferEmailFacts } from "../mail/transfer-emails.ts";

/** Writes an email to the customer who has, or had, the license. Those known by their Discord ID alone get none. */
export async function writeToFormerHolder(
  db: Database,
  context: OrganizationContext,
  transfer: TransferRow,
  product: Pick<ProductRow, "name" | "locale">,
  compose: (email: string, facts: TransferEmailFacts) => Email,
): Promise<void> {
  if (transfer.from_email === null) return;
  const { id, name, slug, locale } = context.organization;
  const branding = await brandingOf(db, id);
  const facts = {
    transfer,
    sender: branding?.display_name ?? name,
    replyTo: branding?.support_email ?? null,
    product: product.name,
    language: product.locale ?? locale,
    url: portalLink(context.config.portalUrl, slug),
  };
  await writeEmail(db, compose(transfer.from_email, facts), context.nowMs);
}
