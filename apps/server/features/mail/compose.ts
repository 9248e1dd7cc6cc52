import type { Language } from "@countersign/domain/mail/languages";
import { oneLine } from "@countersign/domain/mail/one-line";
import { type Sentence, say } from "@countersign/domain/mail/say";
import { type LetterWords, layout } from "./layout.ts";
import type { Letter } from "./letter.ts";

/** Every kind of letter has a sentence that is its subject. */
export type LetterKind = {
  [S in Sentence]: S extends `${infer Kind}.subject` ? Kind : never;
}[Sentence];

/** Whom a letter goes to, and in which language they read. */
export interface Reader {
  readonly email: string;
  readonly language: Language;
}

/** A letter as the sentences that it is made of. */
export interface LetterParts {
  /** In whose name it is written, if not in the program's. */
  readonly sender?: string;
  /** What the sentences are filled in with. */
  readonly values?: Readonly<Record<string, string | number>>;
  readonly before: readonly Sentence[];
  readonly facts?: readonly LabeledValue[];
  /** Words of somebody else, marked as theirs. */
  readonly quote?: { readonly by: Sentence; readonly paragraphs: readonly string[] } | null;
  readonly action?: { readonly label: Sentence; readonly url: string };
  /** Paragraphs of one sentence or several. */
  readonly after?: readonly (Sentence | readonly Sentence[])[];
  /** Why this letter came, in small print. */
  readonly last?: Sentence;
  /** See `Letter`. */
  readonly once?: string;
}

export interface LabeledValue {
  readonly label: Sentence;
  readonly value: string;
  /** To be copied sign by sign. */
  readonly isCode?: boolean;
}

/** A letter in its reader's language, as text and as HTML that say the same. */
export function compose({ email, language }: Reader, kind: LetterKind, parts: LetterParts): Letter {
  const { sender = "Countersign", facts = [], quote = null, action, after = [] } = parts;
  const said = (sentence: Sentence) => say(language, sentence, { ...parts.values, sender });
  const words: LetterWords = {
    language,
    sender: oneLine(sender),
    title: said(`${kind}.subject`),
    before: parts.before.map(said),
    facts: facts.map((fact) => ({ ...fact, label: said(fact.label), value: oneLine(fact.value) })),
    quote: quote === null ? null : { ...quote, by: said(quote.by) },
    action: action === undefined ? null : { ...action, label: said(action.label) },
    after: after.map((sentences) => [sentences].flat().map(said).join(" ")),
    last: said(parts.last ?? "letter.automatic"),
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
function plainText({ before, facts, quote, action, after, last }: LetterWords): string {
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
