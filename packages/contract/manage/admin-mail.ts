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

export const listMailbox = route({
  id: "listMailbox",
  method: "GET",
  path: "/admin/mailbox",
  summary: "List letters",
  description: "The newest first, without what is in them.",
  group,
  access,
  query: pageQuery.extend({ kind: z.string().max(100).optional(), recipient: email.optional() }),
  answer: page(mail),
});

export const getMail = route({
  id: "getMail",
  method: "GET",
  path: "/admin/mailbox/{mail_id}",
  summary: "Read a letter",
  description:
    "How people get their letters while no mail server is set up. A letter that was sent is its recipient's: its text is not shown.",
  group,
  access,
  problems: ["email_not_found"],
  answer: mail
    .extend({ body_text: z.string().nullable(), body_html: z.string().nullable() })
    .meta({ id: "MailWithBody" }),
});

export const getMailHtml = route({
  id: "getMailHtml",
  method: "GET",
  path: "/admin/mailbox/{mail_id}/html",
  summary: "See a letter as its reader would",
  description: `A letter that was sent is its recipient's, and is not found here. ${harmless}`,
  group,
  access,
  problems: ["email_not_found", "email_content_deleted", "email_without_html"],
  answerType: "text/html",
  answer: z.string(),
});

export const listMailTemplates = route({
  id: "listMailTemplates",
  method: "GET",
  path: "/admin/mail-templates",
  summary: "List the kinds of letters, and the languages they are written in",
  group,
  access,
  answer: z
    .object({ kinds: z.array(z.string()), languages: z.array(z.enum(languages)) })
    .meta({ id: "MailTemplates" }),
});

export const getMailTemplate = route({
  id: "getMailTemplate",
  method: "GET",
  path: "/admin/mail-templates/{kind}",
  summary: "See a kind of letter, with values that are made up",
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
