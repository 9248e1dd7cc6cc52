/** A name that nobody else has. Browsers give UUIDs of their own only to pages that came by HTTPS. */
export function newName(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}
