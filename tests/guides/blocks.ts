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
  /** Several files of one program, or a fragment: `<!-- fragment: … -->` says what surrounds it. */
  readonly fragment: string | null;
}

export function blocksOf(page: string): Block[] {
  const { text, startLine } = readSource(page);
  const blocks: Block[] = [];
  const pattern = /((?:^ *<!--[\s\S]*?-->\n+)*)^( *)```(\w*)[^\n]*\n([\s\S]*?)^ *```$/gm;
  for (const match of text.matchAll(pattern)) {
    const [, comments = "", indent = "", language = "", content = ""] = match;
    const said = (kind: string) =>
      Array.from(
        comments.matchAll(new RegExp(`<!-- ${kind}: ([\\s\\S]*?) -->`, "g")),
        ([, words = ""]) => words,
      );
    blocks.push({
      page,
      line: startLine + text.slice(0, match.index + comments.length).split("\n").length - 1,
      language,
      text: content.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
      before: said("test").join("\n"),
      notRun: said("not run")[0] ?? null,
      fragment: said("fragment")[0] ?? null,
    });
  }
  return blocks;
}

export function placeOf({ page, line }: Block): string {
  return `${page}:${line}`;
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
