/**
 * A text that is shown as it was written, wherever it is inserted: one line, without control characters, and without
 * characters that change the direction of what follows. Marks such as U+200F, which only affect their neighbors, are
 * part of correct Arabic and Hebrew.
 */
export const plainLine = /^[^\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]*$/u;

/** User-supplied text without line breaks, control characters and bidirectional formatting. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
}

/** User-supplied text with several paragraphs: line breaks stay, other control characters are removed. */
export function paragraphs(text: string): string[] {
  return text
    .replace(/\r\n?|[\u2028\u2029]/g, "\n")
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.split("\n").map(oneLine).join("\n").trim())
    .filter((paragraph) => paragraph !== "");
}
