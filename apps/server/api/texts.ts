import { fieldFault } from "@countersign/contract/problems/problems";
import { ErrorList } from "./error-list.ts";

/**
 * Text that cannot be stored: PostgreSQL accepts no NUL character, and half of a surrogate pair is not a character.
 * Rejected wherever it comes from, so that both databases store the same.
 */
export function isUnstorable(text: string): boolean {
  return text.includes("\0") || !text.isWellFormed();
}

/** In JSON, such characters can only be written like this. */
const suspicious = /\\u(?:0000|d[89a-f])/i;

const mostErrors = 20;

/** Rejects a body that contains such text anywhere, and says where. The body's depth and values are bounded. */
export function checkBodyTexts(json: unknown, source: string): void {
  if (!suspicious.test(source)) return;
  const errors = new ErrorList(mostErrors);
  checkTexts(json, [], errors);
  errors.throwIfAny();
}

function checkTexts(value: unknown, path: readonly string[], errors: ErrorList): void {
  if (errors.isFull) return;
  if (typeof value === "string" && isUnstorable(value)) addUnstorable(errors, path);
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (errors.isFull) return;
    const inside = [...path, name];
    if (isUnstorable(name)) addUnstorable(errors, inside);
    checkTexts(member, inside, errors);
  }
}

export function checkQueryTexts(query: Readonly<Record<string, string | string[]>>): void {
  const errors = new ErrorList(mostErrors);
  for (const [name, value] of Object.entries(query)) {
    if ([name, value].flat().some(isUnstorable)) addUnstorable(errors, [name]);
  }
  errors.throwIfAny();
}

function addUnstorable(errors: ErrorList, path: readonly string[]): void {
  const field = path.map((name) => name.toWellFormed().replaceAll("\0", "\u{fffd}")).join(".");
  errors.add(field || "body", fieldFault("invalid_text"));
}
