export interface JsonLimits {
  /** How deep lists and objects may be nested. */
  readonly depth: number;
  /** How many values there may be in all, those inside others included. */
  readonly values: number;
}

export type JsonExcess = "too_deep" | "too_many";

const quote = 0x22;
const comma = 0x2c;
const openList = 0x5b;
const backslash = 0x5c;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/**
 * Measures a JSON text while it arrives, byte by byte, so that one that nobody can mean is refused before a parser
 * builds it. It does not decide whether the text is JSON: of a text that is, it never counts less than there is.
 */
export class JsonBounds {
  readonly #limits: JsonLimits;
  #depth = 0;
  #values = 1;
  #inString = false;
  #escaped = false;

  constructor(limits: JsonLimits) {
    this.#limits = limits;
  }

  /** Reads on, and says what is exceeded as soon as it is. */
  read(bytes: Uint8Array): JsonExcess | null {
    let at = 0;
    while (at < bytes.length) {
      if (this.#inString) {
        at = this.#readString(bytes, at);
        continue;
      }
      switch (bytes[at]) {
        case quote:
          this.#inString = true;
          break;
        case openList:
        case openObject:
          this.#depth += 1;
          this.#values += 1;
          if (this.#depth > this.#limits.depth) return "too_deep";
          break;
        case closeList:
        case closeObject:
          this.#depth -= 1;
          break;
        case comma:
          this.#values += 1;
          break;
      }
      if (this.#values > this.#limits.values) return "too_many";
      at += 1;
    }
    return null;
  }

  /** To the end of the string, or of the bytes. UTF-8 has no quotes or backslashes inside other characters. */
  #readString(bytes: Uint8Array, from: number): number {
    for (let at = from; at < bytes.length; at++) {
      if (this.#escaped) this.#escaped = false;
      else if (bytes[at] === backslash) this.#escaped = true;
      else if (bytes[at] === quote) {
        this.#inString = false;
        return at + 1;
      }
    }
    return bytes.length;
  }
}
