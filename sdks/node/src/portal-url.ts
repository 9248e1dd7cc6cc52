/**
 * The key is in the fragment: a browser sends the fragment to no server, so it appears in no log and no referrer.
 * Throws a `TypeError` if there is no key.
 */
export function portalUrl(baseUrl: string, licenseKey: string): string {
  const key = typeof licenseKey === "string" ? licenseKey.trim() : "";
  if (key === "") throw new TypeError("licenseKey must be a license key that is not empty.");
  // encodeURIComponent throws for unpaired surrogates. No license key contains them, so replacing them is safe.
  return `${baseUrl}/portal/open#${encodeURIComponent(key.replace(/\p{Surrogate}/gu, "\ufffd"))}`;
}
