import * as contract from "@countersign/contract/manage/admin-mail";
import { letterById, letters } from "@countersign/store/queries/mailbox";
import type { MailboxRow } from "@countersign/store/tables";
import { type BoundRoute, bind, param } from "../../http/manage/bind.ts";
import { decodeCursor, iso, pageOf } from "../../http/manage/page.ts";
import { Problem } from "../../http/manage/problem.ts";
import { shownFailure } from "../../shown-failure.ts";
import { shownLetter } from "./shown-letter.ts";

export const mailboxRoutes: readonly BoundRoute[] = [
  bind(contract.listMailbox, async (context, { query }) => {
    const after = decodeCursor(query.cursor, ["text"]);
    const filter = { kind: query.kind ?? null, recipient: query.recipient?.toLowerCase() ?? null };
    const rows = await letters(context.store.reads, filter, {
      beforeId: after === null ? null : String(after[0]),
      limit: query.limit + 1,
    });
    return pageOf(rows, query.limit, (row) => [row.id], showMail);
  }),

  bind(contract.getMail, async (context, input) => {
    const row = await letterById(context.store.reads, param(input, "mail_id"));
    if (row === undefined) throw new Problem("email_not_found");
    const wasSent = row.sent_at !== null;
    return {
      ...showMail(row),
      body_text: wasSent ? null : row.body_text,
      body_html: wasSent ? null : row.body_html,
    };
  }),

  bind(contract.getMailHtml, async (context, input) => {
    const row = await letterById(context.store.reads, param(input, "mail_id"));
    if (row === undefined) throw new Problem("email_not_found");
    if (row.sent_at !== null) throw new Problem("email_content_deleted");
    if (row.body_html === null) throw new Problem("email_without_html");
    return shownLetter(row.body_html);
  }),
];

type Envelope = Pick<
  MailboxRow,
  "id" | "recipient" | "subject" | "kind" | "created_at" | "sent_at" | "failure"
>;

function showMail(row: Envelope) {
  return {
    id: row.id,
    recipient: row.recipient,
    subject: row.subject,
    kind: row.kind,
    created_at: iso(row.created_at),
    sent_at: iso(row.sent_at),
    failure: shownFailure(row.failure),
  };
}
