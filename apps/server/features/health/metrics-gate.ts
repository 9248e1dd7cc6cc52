import { createHash, timingSafeEqual } from "node:crypto";

/** Who can read `/metrics`: anyone, or those who send the operator's token. */
export class MetricsGate {
  readonly #expected: Uint8Array | null;

  constructor(token: string | null) {
    this.#expected = token === null ? null : digest(token);
  }

  admits(request: Request): boolean {
    if (this.#expected === null) return true;
    const given = /^Bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
    // Digests have a fixed length, so the comparison reveals nothing about the token's length.
    return given !== undefined && timingSafeEqual(digest(given), this.#expected);
  }
}

function digest(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}
