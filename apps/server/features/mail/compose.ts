import type { Language } from "@countersign/domain/mail/languages";
import { type Sentence, translate } from "@countersign/domain/mail/translate";
import { oneLine } from "@countersign/domain/text/plain-line";
import type { Email, Recipient } from "./email.ts";

/** Every kind of email has a sentence that is its subject. */
export type EmailKind = {
  [S in Sentence]: S extends `${infer Kind}.subject` ? Kind : never;
}[Sentence];

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
  const content: EmailContent = {
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
    subject: content.title,
    text: plainText(content),
    html: layout(content),
    once: parts.once ?? null,
  };
}

/** The same words as in the HTML, in the same order; the title is the subject. */
function plainText({ before, facts, quote, action, after, last }: EmailContent): string {
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

/** Safe HTML. It can only be created with `html`, which escapes its values. */
class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Content = Html | string | number | null | readonly Content[];

function html(parts: TemplateStringsArray, ...values: readonly Content[]): Html {
  return new Html(parts.map((part, index) => part + textOf(values[index] ?? null)).join(""));
}

function textOf(content: Content): string {
  if (content === null) return "";
  if (content instanceof Html) return content.text;
  if (typeof content === "object") return content.map(textOf).join("");
  return String(content).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/**
 * An email as HTML that mail clients display: tables and inline styles, because some support nothing else, and a style
 * sheet for dark mode, for those that do. No images, no scripts, nothing that is fetched when it is read.
 */
function layout(content: EmailContent): string {
  const { language, sender, title, before, facts, quote, action, after, last } = content;
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${title}</title>
<style>${darkStyle}</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#f3f4f6;-webkit-text-size-adjust:100%">
<div style="display:none;max-height:0;overflow:hidden;opacity:0;color:transparent">${before[0] ?? null}</div>
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="#f3f4f6" style="background-color:#f3f4f6">
<tr><td align="center" style="padding:32px 12px">
${ghostTable}
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:560px;table-layout:fixed">
<tr><td class="muted edge" style="${font}${breaking}padding:0 29px 12px;font-size:14px;line-height:20px;font-weight:600;color:#5a6270">${sender}</td></tr>
<tr><td class="card" bgcolor="#ffffff" style="background-color:#ffffff;border:1px solid #e2e5ea;border-radius:12px;padding:32px 28px 16px">
<h1 class="words" style="${font}${breaking}margin:0 0 20px;font-size:22px;line-height:30px;font-weight:650;color:#191c21">${title}</h1>
${before.map(paragraph)}
${facts.length === 0 ? null : factTable(facts)}
${quote === null ? null : quoted(quote)}
${action === null ? null : button(action)}
${after.map(paragraph)}
</td></tr>
<tr><td class="muted edge" style="${font}${breaking}padding:16px 29px 0;font-size:13px;line-height:20px;color:#5a6270">${last}</td></tr>
</table>
${ghostTableEnd}
</td></tr>
</table>
</body>
</html>
`.text;
}

const font = html`font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;`;
/** Names, keys and URLs can be longer than a phone is wide. */
const breaking = html`word-break:break-word;overflow-wrap:anywhere;`;
const codeFont = html`font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation Mono',monospace;`;

/** Outlook on Windows does not support max-width, and gets a table of that width in a conditional comment. */
const ghostTable = html`<!--[if mso]><table role="presentation" width="560" align="center" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->`;
const ghostTableEnd = html`<!--[if mso]></td></tr></table><![endif]-->`;

const darkStyle = html`
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (prefers-color-scheme: dark) {
  .page { background-color: #121417 !important; }
  .card { background-color: #1c1f24 !important; border-color: #2f343c !important; }
  .words { color: #eceef1 !important; }
  .muted { color: #a4abb6 !important; }
  .inset { background-color: #262a31 !important; }
  .rule { border-color: #4a515c !important; }
  .button { background-color: #1a8065 !important; }
}
@media (max-width: 480px) {
  .card { padding: 24px 20px 8px !important; }
  .edge { padding-left: 21px !important; padding-right: 21px !important; }
}
`;

function paragraph(text: string): Html {
  return paragraphBefore(text, 16);
}

function paragraphBefore(text: string, gap: number): Html {
  return html`<p class="words" style="${font}${breaking}margin:0 0 ${gap}px;font-size:16px;line-height:25px;color:#191c21">${lines(text)}</p>
`;
}

function lines(text: string) {
  return text.split("\n").map((line, index) => (index === 0 ? line : html`<br>${line}`));
}

/** Stacked: side by side there is no room for a key on a phone. */
function factTable(facts: EmailContent["facts"]): Html {
  return html`<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:4px 0 20px;table-layout:fixed">
<tr><td class="inset" bgcolor="#f3f4f6" style="background-color:#f3f4f6;border-radius:8px;padding:14px 18px">
${facts.map(
  ({ label, value, isCode = false }, index) => html`<div style="padding-top:${index === 0 ? 0 : 10}px">
<div class="muted" style="${font}font-size:13px;line-height:19px;color:#5a6270">${label}</div>
<div class="words" style="${isCode ? codeFont : font}font-size:${isCode ? 18 : 16}px;line-height:${isCode ? 27 : 24}px;${isCode ? "font-weight:600;letter-spacing:0.5px;" : ""}${breaking}color:#191c21">${value}</div>
</div>
`,
)}</td></tr>
</table>
`;
}

function quoted({ by, paragraphs }: NonNullable<EmailContent["quote"]>): Html {
  return html`<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:4px 0 20px;table-layout:fixed">
<tr><td class="rule" style="border-left:3px solid #c9ced6;padding:2px 0 2px 16px">
<p class="muted" style="${font}${breaking}margin:0 0 8px;font-size:13px;line-height:19px;color:#5a6270">${by}:</p>
${paragraphs.map((text, index) => paragraphBefore(text, index < paragraphs.length - 1 ? 16 : 0))}</td></tr>
</table>
`;
}

function button({ label, url }: NonNullable<EmailContent["action"]>): Html {
  return html`<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:8px 0 16px">
<tr><td class="button" align="center" bgcolor="#16755c" style="background-color:#16755c;border-radius:8px">
<a href="${url}" style="${font}display:inline-block;padding:12px 22px;font-size:16px;line-height:24px;font-weight:600;color:#ffffff;text-decoration:none">${label}</a>
</td></tr>
</table>
<p style="${font}margin:0 0 20px;font-size:13px;line-height:20px;word-break:break-all"><a class="muted" href="${url}" style="color:#5a6270;text-decoration:none">${url}</a></p>
`;
}

/** What an email says, apart from how it looks. Paragraphs are plain text. */
interface EmailContent {
  readonly language: Language;
  readonly sender: string;
  readonly title: string;
  readonly before: readonly string[];
  readonly facts: readonly { readonly label: string; readonly value: string; readonly isCode?: boolean }[];
  readonly quote: { readonly by: string; readonly paragraphs: readonly string[] } | null;
  readonly action: { readonly label: string; readonly url: string } | null;
  readonly after: readonly string[];
  readonly last: string;
}
