import { isPlaceholderName, maxBytes, maxDepth, parseCustomResponse, placeholderNames } from "./template.ts";

/** A problem in a template or override, and where it is. */
interface TemplateProblem {
  /** Member names and indexes, from the outside in; empty for the whole. */
  readonly path: readonly (string | number)[];
  readonly fault: TemplateFault;
}

export type TemplateFault =
  | { readonly code: "not_an_object"; readonly params: object }
  | { readonly code: "too_deep"; readonly params: { readonly max: number } }
  | { readonly code: "json_too_large"; readonly params: { readonly max_kib: number } }
  | {
      readonly code: "unknown_placeholder";
      readonly params: { readonly placeholder: string; readonly allowed: readonly string[] };
    }
  | {
      readonly code: "misspelled_placeholder";
      readonly params: { readonly placeholder: string; readonly correct: string };
    };

/**
 * The problems of a custom response before it is stored. Otherwise an unknown placeholder would be sent to every
 * customer as is.
 */
export function customResponseProblems(value: unknown): TemplateProblem[] {
  const parsed = parseCustomResponse(value);
  if (parsed.ok) return unknownPlaceholders(parsed.template);
  const deep = tooDeep(value, [], { values: maxBytes });
  if (deep !== null) return [{ path: deep, fault: { code: "too_deep", params: { max: maxDepth } } }];
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isObject) return [{ path: [], fault: { code: "not_an_object", params: {} } }];
  return [{ path: [], fault: { code: "json_too_large", params: { max_kib: maxBytes / 1024 } } }];
}

/** Enough to see what is wrong. */
const maxProblems = 20;

function unknownPlaceholders(template: unknown): TemplateProblem[] {
  const problems: TemplateProblem[] = [];
  const look = (value: unknown, path: TemplateProblem["path"]) => {
    if (problems.length >= maxProblems) return;
    if (typeof value === "string") problems.push(...problemsOfText(value, path));
    else for (const [name, member] of members(value)) look(member, [...path, name]);
  };
  look(template, []);
  return problems.slice(0, maxProblems);
}

function problemsOfText(text: string, path: TemplateProblem["path"]): TemplateProblem[] {
  return pairsOfBraces(text).flatMap((written) => {
    const inside = written.slice(2, -2);
    const name = /^ ?([a-z_.]+) ?$/.exec(inside)?.[1];
    if (name !== undefined && isPlaceholderName(name)) return [];
    const shown = written.length > 80 ? `${written.slice(0, 80)}…` : written;
    return [{ path, fault: placeholderFault(shown, inside) }];
  });
}

/**
 * Each `{{` with the next `}}`. Not a regular expression: one that looks ahead for the end would start over at every
 * brace.
 */
function pairsOfBraces(text: string): string[] {
  const pairs: string[] = [];
  for (let end = 0; ; ) {
    const start = text.indexOf("{{", end);
    const close = start < 0 ? -1 : text.indexOf("}}", start + 2);
    if (close < 0) return pairs;
    end = close + 2;
    pairs.push(text.slice(start, end));
  }
}

/** The correct spelling if the intent is clear, otherwise all placeholders. */
function placeholderFault(placeholder: string, inside: string): TemplateFault {
  const name = inside.trim().toLowerCase();
  return isPlaceholderName(name)
    ? { code: "misspelled_placeholder", params: { placeholder, correct: `{{${name}}}` } }
    : { code: "unknown_placeholder", params: { placeholder, allowed: placeholderNames } };
}

function tooDeep(
  value: unknown,
  path: TemplateProblem["path"],
  left: { values: number },
): TemplateProblem["path"] | null {
  if (left.values-- <= 0 || typeof value !== "object" || value === null) return null;
  if (path.length >= maxDepth) return path;
  for (const [name, member] of members(value)) {
    const deepPath = tooDeep(member, [...path, name], left);
    if (deepPath !== null) return deepPath;
  }
  return null;
}

function members(value: unknown): [string | number, unknown][] {
  if (Array.isArray(value)) return value.map((element, index) => [index, element]);
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}
