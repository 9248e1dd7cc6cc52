import { languages } from "@countersign/domain/mail/languages";
import { z } from "zod";
import { platformAdmin, route } from "./route.ts";
import { email, failureShape, id, locale, page, pageQuery, time } from "./shapes.ts";

const group = "Platform";
const access = platformAdmin;

const mail = z
  .object({
    id,
    recipient: z.string(),
    subject: z.string(),
    kind: z.string(),
    created_at: time,
    sent_at: time.nullable(),
    failure: failureShape.nullable().meta({ description: "Why the last attempt to send it failed." }),
  })
  .meta({ id: "Mail" });

const harmless = "Scripts, pictures and forms in it do nothing, and nothing is fetched.";

export const listOutbox = route({
  id: "listOutbox",
  method: "GET",
  path: "/admin/outbox",
  summary: "List emails",
  description: "The newest first, without what is in them.",
  group,
  access,
  query: pageQuery.extend({ kind: z.string().max(100).optional(), recipient: email.optional() }),
  answer: page(mail),
});

export const getOutboxEmail = route({
  id: "getOutboxEmail",
  method: "GET",
  path: "/admin/outbox/{email_id}",
  summary: "Read an email",
  description:
    "How people get their emails while no mail server is set up. An email that was sent is its recipient's: its text is not shown.",
  group,
  access,
  problems: ["email_not_found"],
  answer: mail
    .extend({ body_text: z.string().nullable(), body_html: z.string().nullable() })
    .meta({ id: "MailWithBody" }),
});

export const getOutboxEmailHtml = route({
  id: "getOutboxEmailHtml",
  method: "GET",
  path: "/admin/outbox/{email_id}/html",
  summary: "See an email as its reader would",
  description: `An email that was sent is its recipient's, and is not found here. ${harmless}`,
  group,
  access,
  problems: ["email_not_found", "email_content_deleted", "email_without_html"],
  answerType: "text/html",
  answer: z.string(),
});

export const listEmailTemplates = route({
  id: "listEmailTemplates",
  method: "GET",
  path: "/admin/email-templates",
  summary: "List the kinds of emails, and the languages they are written in",
  group,
  access,
  answer: z
    .object({ kinds: z.array(z.string()), languages: z.array(z.enum(languages)) })
    .meta({ id: "MailTemplates" }),
});

export const getEmailTemplate = route({
  id: "getEmailTemplate",
  method: "GET",
  path: "/admin/email-templates/{kind}",
  summary: "See a kind of email, with values that are made up",
  description: harmless,
  group,
  access,
  problems: ["email_kind_not_found"],
  query: z.object({
    language: locale.default("en"),
    format: z.enum(["html", "text"]).default("html").meta({ description: "Which of its two bodies." }),
  }),
  answerType: "text/html",
  answer: z.string(),
});
