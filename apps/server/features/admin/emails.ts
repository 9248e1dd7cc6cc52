import * as contract from "@countersign/contract/manage/admin-mail";
import { shownFailure } from "@countersign/contract/problems/failures";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { languages } from "@countersign/domain/mail/languages";
import { emailById, emails } from "@countersign/store/queries/mail/outbox";
import type { OutboxRow } from "@countersign/store/tables/platform";
import { type BoundRoute, bind } from "../../api/context.ts";
import { decodeCursor, pageOf } from "../../api/page.ts";
import { Problem } from "../../http/problem.ts";
import { emailKinds, sampleEmail } from "./sample-emails.ts";

export const emailRoutes: readonly BoundRoute[] = [
  bind(contract.listOutbox, async (context, { query }) => {
    const after = decodeCursor(query.cursor, ["text"]);
    const filter = { kind: query.kind ?? null, recipient: query.recipient?.toLowerCase() ?? null };
    const rows = await emails(context.store.reads, filter, {
      beforeId: after === null ? null : String(after[0]),
      limit: query.limit + 1,
    });
    return pageOf(rows, query.limit, (row) => [row.id], showMail);
  }),

  bind(contract.getOutboxEmail, async (context, input) => {
    const row = await emailById(context.store.reads, input.params.email_id);
    if (row === undefined) throw new Problem("email_not_found");
    const wasSent = row.sent_at !== null;
    return {
      ...showMail(row),
      body_text: wasSent ? null : row.body_text,
      body_html: wasSent ? null : row.body_html,
    };
  }),

  bind(contract.getOutboxEmailHtml, async (context, input) => {
    const row = await emailById(context.store.reads, input.params.email_id);
    if (row === undefined) throw new Problem("email_not_found");
    if (row.sent_at !== null) throw new Problem("email_content_deleted");
    if (row.body_html === null) throw new Problem("email_without_html");
    return shownEmail(row.body_html);
  }),

  bind(contract.listEmailTemplates, async () => ({ kinds: emailKinds, languages: [...languages] })),

  bind(contract.getEmailTemplate, async (context, input) => {
    const kind = emailKinds.find((known) => known === input.params.kind);
    if (kind === undefined) throw new Problem("email_kind_not_found");
    const { language, format } = input.query;
    const message = sampleEmail(kind, language, context.config.url);
    return format === "html" ? shownEmail(message.html ?? "") : shownText(message.text);
  }),
];

type DeliveryRequest = Pick<
  OutboxRow,
  "id" | "recipient" | "subject" | "kind" | "created_at" | "sent_at" | "failure"
>;

function showMail(row: DeliveryRequest) {
  return {
    id: row.id,
    recipient: row.recipient,
    subject: row.subject,
    kind: row.kind,
    created_at: isoTime(row.created_at),
    sent_at: isoTime(row.sent_at),
    failure: shownFailure(row.failure),
  };
}

/**
 * An email as a page. It contains untrusted text, on the origin where people are signed in: even if some of it were
 * markup, it could not run, fetch, send or frame anything.
 */
function shownEmail(html: string): Response {
  return new Response(html, { headers: { ...headers, "content-type": "text/html; charset=utf-8" } });
}

function shownText(text: string): Response {
  return new Response(text, { headers: { ...headers, "content-type": "text/plain; charset=utf-8" } });
}

const headers = {
  "content-security-policy": [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    "sandbox allow-popups",
  ].join("; "),
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};
