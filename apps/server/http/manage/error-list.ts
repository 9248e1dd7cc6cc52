import { type FieldError, Problem } from "./problem.ts";

/** Longer than any existing field name or path. */
const longestField = 200;
/** Longer than any of our messages; some repeat the input. */
const longestMessage = 1_500;
const mostCharacters = 30_000;
/** How many of them `detail` repeats. */
const mostInDetail = 5;

/** The field errors of a request, limited to what anyone would read. */
export class ErrorList {
  readonly #most: number;
  readonly #errors: FieldError[] = [];
  #characters = 0;

  constructor(most = 100) {
    this.#most = most;
  }

  /** Whether further errors would be dropped. */
  get isFull(): boolean {
    return this.#errors.length >= this.#most || this.#characters >= mostCharacters;
  }

  /** `message` continues the field name. */
  add(field: string, message: string): void {
    if (this.isFull) return;
    const shown = cut(field, longestField);
    const sentence = cut(`${shown} ${message}`, longestMessage);
    this.#errors.push({ field: shown, message: `${sentence}.` });
    this.#characters += shown.length + sentence.length;
  }

  throwIfAny(): void {
    if (this.#errors.length === 0) return;
    const detail = this.#errors.slice(0, mostInDetail).map((error) => error.message);
    throw new Problem("invalid", detail.join(" "), { errors: this.#errors });
  }
}

/** Never in the middle of a character. */
function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}
