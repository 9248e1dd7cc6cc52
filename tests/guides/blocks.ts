import { readSource } from "../../docs/.vitepress/pages.ts";

/** A fenced block of a document, with the comments directly before it that arrange it. */
export interface Block {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  readonly text: string;
  /** A hidden shell that runs before it: `<!-- test: … -->`. */
  readonly before: string;
  /** Why it is not run: `<!-- not run: … -->`. */
  readonly notRun: string | null;
  /** The test that runs it: `<!-- run by: … -->`. */
  readonly runBy: string | null;
  /** It runs until the end of the page, in the background. What must succeed before the next block: `<!-- background: … -->`. */
  readonly background: string | null;
  /** The HTTP statuses, other than success, that its requests get: `<!-- status: … -->`. */
  readonly statuses: readonly string[];
  /** With which the last command ends, if not with 0: `<!-- exit: … -->`. */
  readonly exitCode: string | null;
  /** Several files of one program, or a fragment: `<!-- fragment: … -->` says what surrounds it. */
  readonly fragment: string | null;
}

export function blocksOf(page: string): Block[] {
  const { text, startLine } = readSource(page);
  return blocksIn(page, text, startLine);
}

const arrangement = /^ *<!-- (test|not run|run by|background|status|exit|fragment): /;

/** An arrangement that no block follows is refused: it would have no effect. */
export function blocksIn(page: string, text: string, startLine = 1): Block[] {
  const lines = text.split("\n");
  const place = (index: number) => `${page}:${startLine + index}`;
  const blocks: Block[] = [];
  let said: { readonly kind: string; readonly words: string; readonly index: number }[] = [];
  const end = (start: number, from: number, isEnd: (line: string) => boolean) => {
    const found = lines.findIndex((line, at) => at >= from && isEnd(line));
    if (found === -1) throw new Error(`${place(start)}: what starts here does not end.`);
    return found;
  };
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? "";
    const [, indent, language = ""] = /^( *)```(\w*)/.exec(line) ?? [];
    const [, kind] = arrangement.exec(line) ?? [];
    if (kind !== undefined) {
      const last = end(index, index, (one) => one.includes("-->"));
      const whole = lines.slice(index, last + 1).join("\n");
      said.push({ kind, words: whole.replace(arrangement, "").replace(/ -->\s*$/, ""), index });
      index = last;
    } else if (indent !== undefined) {
      const last = end(index, index + 1, (one) => /^ *```\s*$/.test(one));
      const content = lines.slice(index + 1, last).map((one) => `${one.replace(indent, "")}\n`);
      const words = (wanted: string) => said.filter((one) => one.kind === wanted).map((one) => one.words);
      blocks.push({
        page,
        line: startLine + index,
        language,
        text: content.join(""),
        before: words("test").join("\n"),
        notRun: words("not run")[0] ?? null,
        runBy: words("run by")[0] ?? null,
        background: words("background")[0] ?? null,
        statuses: words("status").flatMap((one) => one.split(" ")),
        exitCode: words("exit")[0] ?? null,
        fragment: words("fragment")[0] ?? null,
      });
      said = [];
      index = last;
    } else if (line.trim() !== "") refuseUnused();
  }
  refuseUnused();
  return blocks;

  function refuseUnused(): void {
    const [first] = said;
    if (first !== undefined)
      throw new Error(`${place(first.index)}: no block is directly after the comment "${first.kind}".`);
  }
}

export function placeOf({ page, line }: Block): string {
  return `${page}:${line}`;
}

/** The JSON of a block. `{…}`, a member `…` and a list that ends with `…` stand for what is left out. */
export function exampleOf({ text }: Block): unknown {
  const complete = text
    .replaceAll(/\{\s*…\s*\}/g, "{}")
    .replaceAll(/\[\s*…\s*\]/g, "[]")
    .replaceAll(/,\s*…(?=\s*[}\]])/g, "")
    .replaceAll(/(:\s*)…/g, '$1"…"');
  return JSON.parse(complete);
}

/**
 * Whether an answer has the structure of an example. Texts with `…` in them stand for any text like it, and so do IDs,
 * times, keys and signatures; an object can have more members, and a list more entries, than the example shows.
 */
export function differences(example: unknown, actual: unknown, path = "$"): string[] {
  if (example === "…" || example === null || actual === null)
    return example === actual || example === "…" ? [] : [`${path} is ${JSON.stringify(actual)}`];
  if (Array.isArray(example)) {
    if (!Array.isArray(actual)) return [`${path} is not a list`];
    return example.flatMap((entry, index) =>
      index < actual.length
        ? differences(entry, actual[index], `${path}[${index}]`)
        : [`${path}[${index}] is missing`],
    );
  }
  if (typeof example === "object") {
    if (typeof actual !== "object" || Array.isArray(actual)) return [`${path} is not an object`];
    const members = actual as Readonly<Record<string, unknown>>;
    return Object.entries(example).flatMap(([name, value]) =>
      Object.hasOwn(members, name)
        ? differences(value, members[name], `${path}.${name}`)
        : [`${path}.${name} is missing`],
    );
  }
  if (typeof example !== typeof actual) return [`${path} is ${JSON.stringify(actual)}`];
  if (typeof example === "string" && (isPlaceholder(example) || isPlaceholder(String(actual)))) return [];
  return example === actual ? [] : [`${path} is ${JSON.stringify(actual)}, not ${JSON.stringify(example)}`];
}

/** What is different each time: parts left out, IDs, keys, secrets, times and URLs of the server. */
function isPlaceholder(text: string): boolean {
  return /…|\.\.\.$|^[\w-]*[0-9a-f]{16,}|^\d{4}-\d\d-\d\d|^(csk|cst|cskt|whsec)_|^[A-Z0-9]{4,5}(-[A-Z0-9]{4,5}){2,}|^https?:|=$/.test(
    text,
  );
}

/** The JSON values that a command has printed, one after the other or one on each line. */
export function printedJson(output: string): unknown[] {
  const values: unknown[] = [];
  let rest = output.trim();
  while (rest !== "") {
    const start = rest.search(/[{[]/);
    if (start === -1) break;
    rest = rest.slice(start);
    const end = endOfJson(rest);
    try {
      values.push(JSON.parse(rest.slice(0, end)));
      rest = rest.slice(end);
    } catch {
      rest = rest.slice(1);
    }
  }
  return values;
}

/** Where the object or list that a text starts with ends. */
function endOfJson(text: string): number {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (inText) {
      if (sign === "\\") at += 1;
      else if (sign === '"') inText = false;
    } else if (sign === '"') inText = true;
    else if (sign === "{" || sign === "[") depth += 1;
    else if ((sign === "}" || sign === "]") && --depth === 0) return at + 1;
  }
  return text.length;
}
