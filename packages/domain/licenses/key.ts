/** Sixteen characters of five bits use exactly the ten random bytes, so every key is equally likely. */
export function generateLicenseKey(randomBytes: (count: number) => Uint8Array): string {
  const bytes = randomBytes(keyBytes);
  if (bytes.length !== keyBytes) throw new Error(`expected ${keyBytes} random bytes, got ${bytes.length}`);
  let key = "";
  let pending = 0;
  let pendingBits = 0;
  let characters = 0;
  for (const byte of bytes) {
    pending = (pending << 8) | byte;
    pendingBits += 8;
    while (pendingBits >= 5) {
      pendingBits -= 5;
      if (characters > 0 && characters % 4 === 0) key += "-";
      key += crockford.charAt((pending >>> pendingBits) & 31);
      characters++;
    }
    pending &= (1 << pendingBits) - 1;
  }
  return key;
}

/** Two keys mean the same license exactly if this is equal. */
export function matchForm(key: string): string {
  return key.trim().toUpperCase();
}

type ImportedKey = { ok: true; key: string } | { ok: false; fault: KeyFault };

export type KeyFault =
  | { readonly code: "too_short" | "too_long"; readonly params: { readonly count: number } }
  | { readonly code: "license_key_unprintable"; readonly params: object };

export function parseImportedKey(text: string): ImportedKey {
  const key = text.trim();
  if (key === "") return { ok: false, fault: { code: "too_short", params: { count: 1 } } };
  if (key.length > 2 * maxImportedLength || [...key].length > maxImportedLength) {
    return { ok: false, fault: { code: "too_long", params: { count: maxImportedLength } } };
  }
  if (unprintable.test(key)) {
    return { ok: false, fault: { code: "license_key_unprintable", params: {} } };
  }
  return { ok: true, key };
}

/** Without I, L, O and U, which are misread or spell words. */
const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const keyBytes = 10;
const maxImportedLength = 64;

/** Controls, invisible formatting, unpaired surrogates, line and paragraph separators. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** A key as it is named where the reader does not need to use it. */
export function maskedKey(key: string): string {
  return `${[...key].slice(0, 4).join("")}…`;
}
