/** A link to the operator's contact, which is an email address or a URL. Null for anything else. */
export function contactHref(contact: string | null): string | null {
  if (contact === null) return null;
  if (/^https?:\/\//i.test(contact)) return contact;
  return /^[^\s@/]+@[^\s@/]+$/.test(contact) ? `mailto:${contact}` : null;
}
