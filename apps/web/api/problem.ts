import type { FieldErrorBody, Params } from "@countersign/contract/problems/declare";
import { fieldText, fieldTextWithName, problemText } from "../i18n/problem-texts.ts";

/** A refusal of the server (RFC 9457), in the reader's language. */
export class ApiProblem extends Error {
  override readonly name = "ApiProblem";
  readonly status: number;
  /** Stable, such as `slug_taken`. Empty if something between browser and server answered. */
  readonly code: string;
  readonly params: Params;
  readonly errors: readonly FieldError[];
  readonly retryAfterSeconds: number | null;

  constructor(status: number, body: Partial<ProblemBody>, retryAfterSeconds: number | null = null) {
    const { code = "", params = {}, detail = body.title ?? `The server responded with ${status}.` } = body;
    const errors = (body.errors ?? []).map((error) => ({
      ...error,
      message: fieldText(error),
      withName: fieldTextWithName(error),
    }));
    super(
      errors.length > 0
        ? errors.map(({ withName }) => withName).join(" ")
        : problemText({ code, params, message: detail }),
    );
    this.status = status;
    this.code = code;
    this.params = params;
    this.errors = errors;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** What is wrong with one field. */
  of(field: string): string | null {
    return this.errors.find((error) => error.field === field)?.message ?? null;
  }
}

/** The server did not respond at all. */
export class Unreachable extends Error {
  override readonly name = "Unreachable";
}

interface FieldError extends FieldErrorBody {
  /** To be shown beside the field. */
  readonly message: string;
  /** To be shown anywhere else. */
  readonly withName: string;
}

interface ProblemBody {
  readonly code: string;
  readonly params: Params;
  readonly title: string;
  readonly detail: string;
  readonly errors: readonly FieldErrorBody[];
}
