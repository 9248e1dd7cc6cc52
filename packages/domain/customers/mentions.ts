/**
 * Whether a text, which can be JSON, contains one of these email addresses, Discord IDs or other IDs: as a whole, because
 * that of another person can end or begin with it, and in any case.
 */
export function mentionOf(terms: readonly string[]): (text: string | null) => boolean {
  if (terms.length === 0) return () => false;
  const any = terms.map((term) => RegExp.escape(term)).join("|");
  const pattern = new RegExp(`(?<![\\w.+%-])(?:${any})(?![\\w-]|\\.\\w)`, "i");
  // A line break in JSON ends with a letter.
  return (text) => text !== null && pattern.test(text.replace(/\\+(?:[bfnrt]|u[0-9a-f]{4})/gi, " "));
}
