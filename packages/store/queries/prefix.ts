/** Where a list in the order of a text goes on. */
export interface TextPlace {
  readonly text: string;
  readonly id: string;
}

/** Every text that begins with this one stands before its end: after it comes the last character there is. */
export function endOfPrefix(text: string): string {
  return `${text}\u{10ffff}`;
}
