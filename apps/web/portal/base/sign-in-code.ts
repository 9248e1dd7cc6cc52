export const codeLength = 6;

/** The digits of what was typed or pasted: "123 456", "Your code is 123456". At most six. */
export function digitsOf(text: string): string {
  // Some input methods write digits of full width.
  return text.normalize("NFKC").replace(/\D/g, "").slice(0, codeLength);
}
