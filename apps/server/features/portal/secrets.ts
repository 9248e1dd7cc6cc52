import { createHmac, timingSafeEqual } from "node:crypto";
import type { Store } from "@countersign/store/store";
import { signInSecret } from "../identity/secret.ts";

/** Hashes and signs what the portal gives to browsers, each purpose separately from all others. */
export class PortalSecrets {
  readonly #key: Buffer;

  constructor(secret: string) {
    this.#key = createHmac("sha256", secret).update("portal").digest();
  }

  /** Codes are found by it. With a secret: email addresses are easily guessed. */
  emailHash(email: string): string {
    return this.#hash("email", email);
  }

  /** Differs between two rows with the same code. */
  codeHash(rowId: string, code: string): string {
    return this.#hash("code", `${rowId}\n${code}`);
  }

  linkHash(token: string): string {
    return this.#hash("link", token);
  }

  challengeHash(token: string): string {
    return this.#hash("challenge", token);
  }

  /** A text that a browser keeps and cannot change. */
  signed(purpose: string, text: string): string {
    const payload = Buffer.from(text).toString("base64url");
    return `${payload}.${this.#hash(purpose, payload)}`;
  }

  /** The text; null if this server did not sign it for this purpose. */
  opened(purpose: string, signed: string): string | null {
    const [payload = "", signature = "", ...more] = signed.split(".");
    if (more.length > 0 || !isSame(this.#hash(purpose, payload), signature)) return null;
    return Buffer.from(payload, "base64url").toString();
  }

  #hash(purpose: string, text: string): string {
    return createHmac("sha256", this.#key).update(`${purpose}\n${text}`).digest("base64url");
  }
}

/** In constant time. */
export function isSame(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}

const secretsOfStores = new WeakMap<Store, PortalSecrets>();

/** Read once: the secret never changes. */
export async function portalSecrets(store: Store): Promise<PortalSecrets> {
  const secrets = secretsOfStores.get(store) ?? new PortalSecrets(await signInSecret(store));
  secretsOfStores.set(store, secrets);
  return secrets;
}
