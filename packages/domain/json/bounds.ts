interface JsonLimits {
  /** The maximum nesting depth of arrays and objects. */
  readonly depth: number;
  /** The maximum number of values in total, including nested ones. */
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
 * Measures JSON byte by byte as it arrives, so that an excessive text is rejected before a parser builds it. It does
 * not check whether the text is valid JSON; for valid JSON, it never counts too little.
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

  /** Continues reading, and reports an exceeded limit immediately. */
  read(bytes: Uint8Array): JsonExcess | null {
    const { depth: deepest, values: most } = this.#limits;
    const { length } = bytes;
    if (length === 0) return null;
    let depth = this.#depth;
    let values = this.#values;
    let at = this.#inString ? this.#readString(bytes, 0) : 0;
    while (at < length) {
      switch (bytes[at]) {
        case quote:
          at = this.#readString(bytes, at + 1);
          continue;
        case openList:
        case openObject:
          depth += 1;
          values += 1;
          if (depth > deepest) return "too_deep";
          break;
        case closeList:
        case closeObject:
          depth -= 1;
          break;
        case comma:
          values += 1;
          break;
      }
      if (values > most) return "too_many";
      at += 1;
    }
    this.#depth = depth;
    this.#values = values;
    return null;
  }

  /**
   * Skips to the end of the string, or of the bytes. Searches from quote to quote, because most of a body is in
   * strings: UTF-8 has no quotes or backslashes inside other characters.
   */
  #readString(bytes: Uint8Array, from: number): number {
    let at = this.#escaped ? from + 1 : from;
    for (;;) {
      const end = bytes.indexOf(quote, at);
      const isEscaped = endsInBackslash(bytes, at, end < 0 ? bytes.length : end);
      if (end < 0) {
        this.#inString = true;
        this.#escaped = isEscaped;
        return bytes.length;
      }
      if (!isEscaped) {
        this.#inString = false;
        this.#escaped = false;
        return end + 1;
      }
      at = end + 1;
    }
  }
}

/** Whether these bytes end with an odd number of backslashes, so that the next byte is escaped. */
function endsInBackslash(bytes: Uint8Array, from: number, end: number): boolean {
  let start = end;
  while (start > from && bytes[start - 1] === backslash) start -= 1;
  return (end - start) % 2 === 1;
}
