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
