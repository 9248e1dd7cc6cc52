import { type FieldError, Problem } from "./problem.ts";

/**
 * A text that cannot be kept: PostgreSQL takes no NUL character, and half of a surrogate pair is no character at all.
 * Refused wherever it comes from, so that both databases hold the same.
 */
export function isUnkeepable(text: string): boolean {
  return text.includes("\0") || !text.isWellFormed();
}

/** In the text of a JSON body such characters can only be written in this way. */
const suspicious = /\\u(?:0000|d[89a-f])/i;

/** Refuses a body that holds an unkeepable text anywhere, and names where. */
export function checkBodyTexts(json: unknown, source: string): void {
  if (!suspicious.test(source)) return;
  const errors: FieldError[] = [];
  // A list of what is left to look at, not a function that calls itself: a body may be nested deeper than the stack.
  const left: [path: string, value: unknown][] = [["", json]];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [path, value] = next;
    if (typeof value === "string" && isUnkeepable(value)) errors.push(unkeepable(path || "body"));
    if (typeof value !== "object" || value === null) continue;
    for (const [name, member] of Object.entries(value)) {
      const field = path === "" ? name : `${path}.${name}`;
      if (isUnkeepable(name)) errors.push(unkeepable(field));
      left.push([field, member]);
    }
  }
  refuse(errors.reverse());
}

export function checkQueryTexts(query: Readonly<Record<string, string | string[]>>): void {
  const found = Object.entries(query).filter(([name, value]) => [name, value].flat().some(isUnkeepable));
  refuse(found.map(([name]) => unkeepable(name)));
}

const mostErrors = 20;

function refuse(errors: readonly FieldError[]): void {
  if (errors.length === 0) return;
  const some = errors.slice(0, mostErrors);
  throw new Problem("invalid", some.map((error) => error.message).join(" "), { errors: some });
}

function unkeepable(path: string): FieldError {
  const field = path.toWellFormed().replaceAll("\0", "\u{fffd}");
  return { field, message: `${field} should be text without NUL characters and half characters.` };
}
