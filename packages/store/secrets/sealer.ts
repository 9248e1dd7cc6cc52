import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";

/**
 * Encrypts small secrets for storage (AES-256-GCM). The encrypted text is `v1.` and base64url of nonce, tag and
 * ciphertext.
 */
export class Sealer {
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    if (key.length !== 32) throw new Error("A sealing key is 32 bytes long.");
    this.#key = key;
  }

  seal(secret: Uint8Array): string {
    const nonce = randomBytes(12);
    const cipher = createCipheriv("aes-256-gcm", this.#key, nonce);
    const body = Buffer.concat([cipher.update(secret), cipher.final()]);
    return `v1.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64url")}`;
  }

  open(sealed: string): Uint8Array {
    const bytes = Buffer.from(sealed.replace(/^v1\./, ""), "base64url");
    const decipher = createDecipheriv("aes-256-gcm", this.#key, bytes.subarray(0, 12));
    decipher.setAuthTag(bytes.subarray(12, 28));
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]);
  }

  /** 32 bytes that only this installation can derive, always the same for the same purpose. */
  secretFor(purpose: string): Uint8Array {
    return createHmac("sha256", this.#key).update(`countersign.secret-for.v1\n${purpose}`).digest();
  }
}
