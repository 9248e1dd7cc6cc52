import type { FieldErrorBody } from "@countersign/contract/problems/declare";
import { type FieldFault, fieldErrorBody } from "@countersign/contract/problems/problems";
import { Problem } from "../http/problem.ts";

/** Longer than any existing field name or path. */
const longestField = 200;
const longestParam = 1_000;
/** Longer than any of our messages. */
const longestMessage = 1_500;
const mostCharacters = 30_000;
/** How many of them `detail` repeats. */
const mostInDetail = 5;

/** The field errors of a request, limited to what anyone would read. */
export class ErrorList {
  readonly #most: number;
  readonly #errors: FieldErrorBody[] = [];
  #characters = 0;

  constructor(most = 100) {
    this.#most = most;
  }

  /** Whether further errors would be dropped. */
  get isFull(): boolean {
    return this.#errors.length >= this.#most || this.#characters >= mostCharacters;
  }

  add(field: string, fault: FieldFault): void {
    if (this.isFull) return;
    const error = fieldErrorBody(cut(field, longestField), withShortParams(fault));
    this.#errors.push({ ...error, message: cut(error.message, longestMessage) });
    this.#characters += error.field.length + error.message.length;
  }

  throwIfAny(): void {
    if (this.#errors.length === 0) return;
    const detail = this.#errors.slice(0, mostInDetail).map((error) => error.message);
    throw new Problem("invalid", {}, { errors: this.#errors, detail: detail.join(" ") });
  }
}

/** Some parameters repeat the input. */
function withShortParams({ code, params }: FieldFault): FieldFault {
  const short = Object.entries(params).map(([name, value]) => [
    name,
    typeof value === "string" ? cut(value, longestParam) : value,
  ]);
  return { code, params: Object.fromEntries(short) } as FieldFault;
}

/** Never in the middle of a character. */
function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}
