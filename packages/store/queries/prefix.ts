/** Where a list in text order continues. */
export interface TextPosition {
  readonly text: string;
  readonly id: string;
}

/** Every text with this prefix sorts before its end: the prefix followed by the last possible character. */
export function endOfPrefix(text: string): string {
  return `${text}\u{10ffff}`;
}
