const maxSlugLength = 48;

/** The name as part of a URL: "Nördlich & Söhne" becomes "nordlich-sohne". */
export function slugOf(name: string): string {
  const slug = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, maxSlugLength)
    .replace(/^-+|-+$/g, "");
  // A name in another script leaves nothing.
  return slug === "" ? "organization" : slug;
}
