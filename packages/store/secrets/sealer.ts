import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { StorageUnavailable } from "../errors/problem.ts";

/**
 * Encrypts small secrets for storage (AES-256-GCM). The encrypted text is `v1.` and base64url of nonce, tag and
 * ciphertext. While the key is being replaced, there are two: see `KeyRing`.
 */
export class Sealer {
  #keys: readonly Uint8Array[] = [];
  readonly #unreadable: () => void;

  /** `unreadable` is called when none of the keys opens a text: another node may use a new one. */
  constructor(key: Uint8Array, unreadable: () => void = () => {}) {
    this.#unreadable = unreadable;
    this.use([key]);
  }

  /** Seals with the first key, and opens with each. */
  use(keys: readonly Uint8Array[]): void {
    if (keys.length === 0 || keys.some((key) => key.length !== 32))
      throw new Error("A sealing key is 32 bytes long.");
    this.#keys = keys;
  }

  seal(secret: Uint8Array): string {
    const nonce = randomBytes(12);
    const cipher = createCipheriv("aes-256-gcm", this.#keys[0] as Uint8Array, nonce);
    const body = Buffer.concat([cipher.update(secret), cipher.final()]);
    return `v1.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64url")}`;
  }

  open(sealed: string): Uint8Array {
    let failure: unknown;
    for (const key of this.#keys)
      try {
        return openWith(key, sealed);
      } catch (error) {
        failure = error;
      }
    this.#unreadable();
    throw new StorageUnavailable("A stored secret cannot be decrypted with the known keys.", {
      cause: failure,
    });
  }
}

function openWith(key: Uint8Array, sealed: string): Uint8Array {
  const bytes = Buffer.from(sealed.replace(/^v1\./, ""), "base64url");
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(12, 28));
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]);
}
