import { languages } from "@countersign/domain/mail/languages";
import { z } from "zod";
import { platformAdmin, route } from "../api/route.ts";
import { email, failureShape, id, locale, page, pageQuery, time } from "../api/shapes.ts";

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
    failure: failureShape.nullable().meta({ description: "Why the last attempt failed." }),
  })
  .meta({ id: "Mail" });

const harmless = "Scripts, images and forms in it are disabled.";

export const listOutbox = route({
  id: "listOutbox",
  method: "GET",
  path: "/admin/outbox",
  summary: "List the emails in the outbox",
  description: "Newest first, without their content.",
  group,
  access,
  query: pageQuery.extend({ kind: z.string().max(100).optional(), recipient: email.optional() }),
  answer: page(mail),
});

export const getOutboxEmail = route({
  id: "getOutboxEmail",
  method: "GET",
  path: "/admin/outbox/{email_id}",
  summary: "Get an email",
  description:
    "Use this to pass on emails while no mail server is set up. The content of an email that was sent is not shown.",
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
  summary: "Get an email as HTML",
  description: `The response is 404 for an email that was sent. ${harmless}`,
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
  summary: "List the email templates and their languages",
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
  summary: "Preview an email template with sample data",
  description: harmless,
  group,
  access,
  problems: ["email_kind_not_found"],
  query: z.object({
    language: locale.default("en"),
    format: z
      .enum(["html", "text"])
      .default("html")
      .meta({ description: "Which version of the email to return." }),
  }),
  answerType: "text/html",
  answer: z.string(),
});
