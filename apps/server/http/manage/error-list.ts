import { type FieldError, Problem } from "./problem.ts";

/** Longer than any name or path of a field that exists. */
const longestField = 200;
/** Longer than any sentence of ours; some repeat what was sent. */
const longestMessage = 1_500;
const mostCharacters = 30_000;
/** How many of them `detail` repeats. */
const mostInDetail = 5;

/** What is wrong with the fields of a request: no more of it than anybody reads, however much there is. */
export class ErrorList {
  readonly #most: number;
  readonly #errors: FieldError[] = [];
  #characters = 0;

  constructor(most = 100) {
    this.#most = most;
  }

  /** Whether more would be left out. */
  get isFull(): boolean {
    return this.#errors.length >= this.#most || this.#characters >= mostCharacters;
  }

  /** `message` goes on where the field's name ends. */
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
