import type { Language } from "@countersign/domain/mail/languages";
import { type Sentence, translate } from "@countersign/domain/mail/translate";
import { oneLine } from "@countersign/domain/text/plain-line";
import type { Email } from "./email.ts";
import { type EmailWords, layout } from "./layout.ts";

/** Every kind of email has a sentence that is its subject. */
export type EmailKind = {
  [S in Sentence]: S extends `${infer Kind}.subject` ? Kind : never;
}[Sentence];

/** The recipient of an email, and their language. */
export interface Recipient {
  readonly email: string;
  readonly language: Language;
}

/** An email as a list of sentences. */
interface EmailParts {
  /** In whose name it is written, if not the server's. */
  readonly sender?: string;
  /** The values to fill in. */
  readonly values?: Readonly<Record<string, string | number>>;
  readonly before: readonly Sentence[];
  readonly facts?: readonly LabeledValue[];
  /** Someone else's text, marked as theirs. */
  readonly quote?: { readonly by: Sentence; readonly paragraphs: readonly string[] } | null;
  readonly action?: { readonly label: Sentence; readonly url: string };
  /** Paragraphs of one or more sentences. */
  readonly after?: readonly (Sentence | readonly Sentence[])[];
  /** Why the recipient gets this email, in small print. */
  readonly last?: Sentence;
  /** See `Email`. */
  readonly once?: string;
}

export interface LabeledValue {
  readonly label: Sentence;
  readonly value: string;
  /** To be copied exactly. */
  readonly isCode?: boolean;
}

/** An email in the recipient's language, as text and as HTML with the same content. */
export function compose({ email, language }: Recipient, kind: EmailKind, parts: EmailParts): Email {
  const { sender = "Countersign", facts = [], quote = null, action, after = [] } = parts;
  const translated = (sentence: Sentence) => translate(language, sentence, { ...parts.values, sender });
  const words: EmailWords = {
    language,
    sender: oneLine(sender),
    title: translated(`${kind}.subject`),
    before: parts.before.map(translated),
    facts: facts.map((fact) => ({ ...fact, label: translated(fact.label), value: oneLine(fact.value) })),
    quote: quote === null ? null : { ...quote, by: translated(quote.by) },
    action: action === undefined ? null : { ...action, label: translated(action.label) },
    after: after.map((sentences) => [sentences].flat().map(translated).join(" ")),
    last: translated(parts.last ?? "common.automatic"),
  };
  return {
    to: email,
    kind,
    subject: words.title,
    text: plainText(words),
    html: layout(words),
    once: parts.once ?? null,
  };
}

/** The same words as in the HTML, in the same order; the title is the subject. */
function plainText({ before, facts, quote, action, after, last }: EmailWords): string {
  const parts = [
    ...before,
    ...(facts.length === 0 ? [] : [facts.map(({ label, value }) => `${label}: ${value}`).join("\n")]),
    ...(quote === null ? [] : [`${quote.by}:`, ...quote.paragraphs]),
    ...(action === null ? [] : [`${action.label}:\n${action.url}`]),
    ...after,
    `-- \n${last}`,
  ];
  return `${parts.join("\n\n")}\n`;
}
