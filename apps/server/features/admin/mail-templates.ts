import * as contract from "@countersign/contract/manage/admin-mail";
import { languages } from "@countersign/domain/mail/languages";
import { type BoundRoute, bind, param } from "../../http/manage/bind.ts";
import { Problem } from "../../http/manage/problem.ts";
import { letterKinds, sampleLetter } from "./sample-letters.ts";
import { shownLetter, shownText } from "./shown-letter.ts";

/** Previews of emails, before anyone gets one. */
export const mailTemplateRoutes: readonly BoundRoute[] = [
  bind(contract.listMailTemplates, async () => ({ kinds: letterKinds, languages: [...languages] })),

  bind(contract.getMailTemplate, async (context, input) => {
    const kind = letterKinds.find((known) => known === param(input, "kind"));
    if (kind === undefined) throw new Problem("email_kind_not_found");
    const { language, format } = input.query;
    const letter = sampleLetter(kind, language, context.config.url);
    return format === "html" ? shownLetter(letter.html ?? "") : shownText(letter.text);
  }),
];
