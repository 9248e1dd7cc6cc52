/** A value in an array of a JSON document, as its own text, and the path of the array. */
export interface JsonRecord {
  readonly path: string;
  readonly text: string;
}

export type JsonFault =
  | { readonly code: "row_too_long"; readonly params: { readonly row: number } }
  | { readonly code: "json_invalid"; readonly params: { readonly row: number } }
  | { readonly code: "json_not_closed"; readonly params: object };

/** The document cannot be read from some record on. */
export class JsonProblem extends Error {
  override readonly name = "JsonProblem";
  readonly fault: JsonFault;

  constructor(fault: JsonFault) {
    super(fault.code);
    this.fault = fault;
  }
}

interface Container {
  readonly isArray: boolean;
  /** Whether its values are records. */
  readonly holdsRecords: boolean;
  /** The name of the member that is being read, in an object. */
  member: string | null;
}

/**
 * Reads the values of arrays in a JSON document as it arrives, in chunks of any size, so that a large document is never
 * parsed as a whole. Each path names the members that lead to an array; the empty path is an array at the top. Documents
 * can follow each other, as the pages of a list do when their files are joined.
 */
export class JsonRecordReader {
  readonly #paths: ReadonlySet<string>;
  readonly #maxLength: number;
  readonly #open: Container[] = [];
  #rest = "";
  #count = 0;

  constructor(paths: readonly string[], maxLength: number) {
    this.#paths = new Set(paths);
    this.#maxLength = maxLength;
  }

  /** The records that this chunk completes. */
  read(piece: string): JsonRecord[] {
    return this.#take(this.#rest + piece, false);
  }

  /** The last ones. A document that is cut off is a problem: its last records would be missing. */
  end(): JsonRecord[] {
    const records = this.#take(this.#rest, true);
    if (this.#open.length > 0 || this.#rest.trim() !== "")
      throw new JsonProblem({ code: "json_not_closed", params: {} });
    return records;
  }

  #take(text: string, isEnd: boolean): JsonRecord[] {
    const records: JsonRecord[] = [];
    let at = this.#count === 0 && this.#open.length === 0 && text.charCodeAt(0) === 0xfeff ? 1 : 0;
    while (at < text.length) {
      const next = this.#step(text, at, isEnd, records);
      if (next === null) break;
      at = next;
    }
    this.#rest = text.slice(at);
    if (this.#rest.length > this.#maxLength)
      throw new JsonProblem({ code: "row_too_long", params: { row: this.#count + 1 } });
    return records;
  }

  /** Reads one token or record, and returns where the next one starts; null if more of the document is needed. */
  #step(text: string, at: number, isEnd: boolean, records: JsonRecord[]): number | null {
    const inside = this.#open.at(-1);
    const character = text.charAt(at);
    if (between.includes(character)) return at + 1;
    if (character === "}" || character === "]") {
      if (inside?.isArray !== (character === "]")) throw this.#invalid();
      this.#open.pop();
      return at + 1;
    }
    if (inside?.holdsRecords) {
      const end = endOfValue(text, at, isEnd);
      if (end === null) return null;
      if (end === at) throw this.#invalid();
      this.#count += 1;
      records.push({ path: this.#path(), text: text.slice(at, end) });
      return end;
    }
    if (character === "{" || character === "[") {
      if (this.#open.length === maxDepth) throw this.#invalid();
      const isArray = character === "[";
      const holdsRecords = isArray && this.#paths.has(this.#path());
      this.#open.push({ isArray, holdsRecords, member: null });
      return at + 1;
    }
    const end = endOfValue(text, at, isEnd);
    if (end === null) return null;
    if (end === at || inside === undefined) throw this.#invalid();
    if (inside.isArray) return end;
    const following = nextCharacter(text, end);
    if (following === "" && !isEnd) return null;
    if (following === ":") inside.member = this.#name(text.slice(at, end));
    return end;
  }

  /** The names of the members that lead to the current place. An array on the way is no member. */
  #path(): string {
    return this.#open
      .slice(0, this.#open.at(-1)?.holdsRecords ? -1 : undefined)
      .map(({ isArray, member }) => (isArray ? "[]" : (member ?? "")))
      .join(".");
  }

  #name(text: string): string {
    try {
      return String(JSON.parse(text));
    } catch {
      throw this.#invalid();
    }
  }

  #invalid(): JsonProblem {
    return new JsonProblem({ code: "json_invalid", params: { row: this.#count + 1 } });
  }
}

const between = " \t\r\n,:";
/** Of what is around the records. */
const maxDepth = 100;

/** The next character that is not white space; empty at the end of the text. */
function nextCharacter(text: string, from: number): string {
  let at = from;
  while (at < text.length && " \t\r\n".includes(text.charAt(at))) at += 1;
  return text.charAt(at);
}

/** Where the value that starts here ends; null if that is not in the text. */
function endOfValue(text: string, from: number, isEnd: boolean): number | null {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === quote) {
      const end = endOfString(text, at);
      if (end === null) return null;
      if (depth === 0) return end;
      at = end - 1;
    } else if (character === openBrace || character === openBracket) depth += 1;
    else if (character === closeBrace || character === closeBracket) {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && between.includes(text.charAt(at))) return at;
  }
  return depth === 0 && isEnd ? text.length : null;
}

function endOfString(text: string, from: number): number | null {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charAt(at - 1 - slashes) === "\\") slashes += 1;
    if (slashes % 2 === 0) return at + 1;
  }
  return null;
}

const quote = 34;
const openBracket = 91;
const closeBracket = 93;
const openBrace = 123;
const closeBrace = 125;
