/** The same for every spelling of a license key. */
export function comparisonForm(licenseKey: string): string {
  return licenseKey.trim().toUpperCase();
}

/** Whether no license can have this key: it needs no request. */
export function isImpossible(licenseKey: string): boolean {
  const key = licenseKey.trim();
  // A character is one or two code units, so most keys need not be counted.
  if (key === "" || key.length > 2 * maxCharacters) return true;
  return (key.length > maxCharacters && [...key].length > maxCharacters) || /[\p{Cc}\p{Cs}]/u.test(key);
}

const maxCharacters = 64;

/** A missing key is an empty one. Throws a `TypeError` for anything else that is not text. */
export function readKey(licenseKey: string | null | undefined): string {
  const key: unknown = licenseKey ?? "";
  if (typeof key === "string") return key;
  throw new TypeError("licenseKey must be a string.");
}
