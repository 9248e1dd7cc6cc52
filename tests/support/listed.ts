/** The texts of a list that has spaces or line breaks between them. */
export function listed(texts: string): string[] {
  return texts.trim().split(/\s+/);
}
