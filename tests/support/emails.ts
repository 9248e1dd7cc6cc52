import { openEmail } from "@countersign/store/queries/mail/outbox";
import type { Store } from "@countersign/store/store";
import type { OutboxRow, WaitingEmailRow } from "@countersign/store/tables/platform";
import { newId } from "./test-organization.ts";

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

/** An email for the outbox that is due, also by the clock of a database that is a little behind. */
export function emailRow(settings: Partial<OutboxRow> = {}): OutboxRow {
  const { created_at: writtenAtMs = Date.now() } = settings;
  return {
    id: newId(),
    recipient: "ada@example.com",
    subject: "Hello",
    body_text: "Words.",
    body_html: null,
    reply_to: null,
    kind: "test",
    created_at: writtenAtMs,
    sent_at: null,
    failure: null,
    attempts: 0,
    next_attempt_at: writtenAtMs - 1_000,
    dedupe_key: null,
    is_bulk: 0,
    organization_id: null,
    ...settings,
  };
}

/** An email that waits for another day. */
export function waitingEmailRow(settings: Partial<WaitingEmailRow> = {}): WaitingEmailRow {
  return {
    id: newId(),
    organization_id: newId(),
    kind: "license_delivery",
    license_id: newId(),
    ends_at: null,
    created_at: Date.now(),
    dedupe_key: newId(),
    ...settings,
  };
}
