/** Text that somebody chose, without line breaks, control characters and marks that turn the direction of writing. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
}

/** Text of several paragraphs, as somebody wrote it: line breaks stay, other control characters go. */
export function paragraphs(text: string): string[] {
  return text
    .replace(/\r\n?|[\u2028\u2029]/g, "\n")
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.split("\n").map(oneLine).join("\n").trim())
    .filter((paragraph) => paragraph !== "");
}
