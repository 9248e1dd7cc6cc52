/** What a letter says, apart from how it looks. */
export interface LetterWords {
  readonly title: string;
  /** One paragraph each, as plain text. */
  readonly before: readonly string[];
  readonly action: { readonly label: string; readonly url: string } | null;
  readonly after: readonly string[];
}

/** The same words as plain text and as HTML that every mail program shows, without pictures and without tracking. */
export function compose(words: LetterWords): { text: string; html: string } {
  const { title, before, action, after } = words;
  const text = [...before, ...(action === null ? [] : [`${action.label}:\n${action.url}`]), ...after];
  const paragraph = (line: string) => `<p style="margin:0 0 16px">${escaped(line)}</p>`;
  const link =
    action === null
      ? []
      : [
          `<p style="margin:24px 0"><a href="${escaped(action.url)}" style="${buttonStyle}">${escaped(action.label)}</a></p>`,
          `<p style="margin:0 0 16px;word-break:break-all">${escaped(action.url)}</p>`,
        ];
  const html = [
    `<!doctype html><html><head><meta charset="utf-8"><title>${escaped(title)}</title></head>`,
    '<body style="margin:0;padding:24px;font:16px/1.5 sans-serif;color:#1a1a1a">',
    '<div style="max-width:560px;margin:0 auto">',
    `<h1 style="font-size:20px;margin:0 0 16px">${escaped(title)}</h1>`,
    ...before.map(paragraph),
    ...link,
    ...after.map(paragraph),
    "</div></body></html>",
  ];
  return { text: `${text.join("\n\n")}\n`, html: html.join("\n") };
}

/** A name that somebody chose, so that it cannot pretend to be a paragraph of the letter. */
export function oneLine(name: string): string {
  return name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
}

const buttonStyle =
  "display:inline-block;padding:10px 18px;background:#1c4ed8;color:#ffffff;text-decoration:none;border-radius:6px";

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
