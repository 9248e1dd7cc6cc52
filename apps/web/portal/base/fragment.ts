/** The text after `#`, or null. A link that was copied by hand need not be encoded correctly. */
export function fragmentText(hash: string): string | null {
  const text = hash.slice(1);
  if (text === "") return null;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
