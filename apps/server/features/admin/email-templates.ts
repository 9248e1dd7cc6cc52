import * as contract from "@countersign/contract/manage/admin-mail";
import { languages } from "@countersign/domain/mail/languages";
import { type BoundRoute, bind } from "../../api/context.ts";
import { Problem } from "../../http/problem.ts";
import { emailKinds, sampleEmail } from "./sample-emails.ts";
import { shownEmail, shownText } from "./shown-email.ts";

/** Previews of emails, before anyone gets one. */
export const emailTemplateRoutes: readonly BoundRoute[] = [
  bind(contract.listEmailTemplates, async () => ({ kinds: emailKinds, languages: [...languages] })),

  bind(contract.getEmailTemplate, async (context, input) => {
    const kind = emailKinds.find((known) => known === input.params.kind);
    if (kind === undefined) throw new Problem("email_kind_not_found");
    const { language, format } = input.query;
    const message = sampleEmail(kind, language, context.config.url);
    return format === "html" ? shownEmail(message.html ?? "") : shownText(message.text);
  }),
];
