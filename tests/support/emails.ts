import { openEmail } from "@countersign/store/queries/mail/outbox";
import type { Store } from "@countersign/store/store";
import type { OutboxRow } from "@countersign/store/tables";

/** The contents of the outbox, decrypted, oldest first. */
export async function openedEmails(
  store: Store,
  filter: { readonly to?: string | readonly string[]; readonly kind?: string } = {},
): Promise<OutboxRow[]> {
  let query = store.reads.selectFrom("outbox").selectAll();
  if (filter.to !== undefined) query = query.where("recipient", "in", [filter.to].flat());
  if (filter.kind !== undefined) query = query.where("kind", "=", filter.kind);
  return (await query.orderBy("id").execute()).map((row) => openEmail(store.reads, row));
}

/** The token in the newest invitation to an email address. */
export async function invitationTokenFor(store: Store, email: string): Promise<string> {
  const message = (await openedEmails(store, { to: email.toLowerCase(), kind: "invitation" })).at(-1);
  if (message === undefined) throw new Error(`Nobody invited ${email}.`);
  return /\/invitations\/([\w-]+)/.exec(message.body_text)?.[1] ?? "";
}
