import { openMail } from "@countersign/store/queries/mailbox";
import type { Store } from "@countersign/store/store";
import type { MailboxRow } from "@countersign/store/tables";

/** What is in the mailbox, opened, the oldest first. */
export async function openedLetters(
  store: Store,
  filter: { readonly to?: string | readonly string[]; readonly kind?: string } = {},
): Promise<MailboxRow[]> {
  let query = store.reads.selectFrom("mailbox").selectAll();
  if (filter.to !== undefined) query = query.where("recipient", "in", [filter.to].flat());
  if (filter.kind !== undefined) query = query.where("kind", "=", filter.kind);
  return (await query.orderBy("id").execute()).map((row) => openMail(store.reads, row));
}

/** The token in the newest invitation to an address, as its reader would find it. */
export async function invitationTokenFor(store: Store, email: string): Promise<string> {
  const letter = (await openedLetters(store, { to: email.toLowerCase(), kind: "invitation" })).at(-1);
  if (letter === undefined) throw new Error(`Nobody invited ${email}.`);
  return /\/invitations\/([\w-]+)/.exec(letter.body_text)?.[1] ?? "";
}
