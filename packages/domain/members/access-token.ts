import { hash } from "node:crypto";

interface NewAccessToken {
  /** Shown once, never stored. */
  readonly token: string;
  readonly hash: string;
  readonly shownPrefix: string;
}

/** A 256-bit secret after a prefix that people and secret scanners recognize. */
export function generateAccessToken(randomBytes: (count: number) => Uint8Array): NewAccessToken {
  const token = scheme + Buffer.from(randomBytes(32)).toString("base64url");
  return { token, hash: hashAccessToken(token), shownPrefix: token.slice(0, scheme.length + 6) };
}

export function isAccessToken(text: string): boolean {
  return shape.test(text);
}

/** A fast hash is enough: what it hides cannot be guessed. */
export function hashAccessToken(token: string): string {
  return hash("sha256", token, "hex");
}

const scheme = "cst_";
const shape = /^cst_[A-Za-z0-9_-]{43}$/;
