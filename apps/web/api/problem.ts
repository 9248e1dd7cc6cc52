import { said, saidBeside, saidOf } from "../i18n/refusals.ts";

/** What the server says when it refuses: RFC 9457, with the fields that are wrong. In the reader's language. */
export class ApiProblem extends Error {
  override readonly name = "ApiProblem";
  readonly status: number;
  /** The last part of the problem's type, such as `invalid` or `not_found`. */
  readonly kind: string;
  readonly errors: readonly FieldError[];
  readonly retryAfterSeconds: number | null;

  constructor(status: number, body: Partial<ProblemBody>, retryAfterSeconds: number | null = null) {
    const errors = (body.errors ?? []).map(({ field, message }) => ({
      field,
      message: saidBeside(field, message),
      withName: saidOf(field, message),
    }));
    super(
      errors.length > 0
        ? errors.map(({ withName }) => withName).join(" ")
        : said(body.detail ?? body.title ?? `The server answered ${status}.`),
    );
    this.status = status;
    this.kind = body.type?.split("/").at(-1) ?? "unknown";
    this.errors = errors;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** What is wrong with one field. */
  of(field: string): string | null {
    return this.errors.find((error) => error.field === field)?.message ?? null;
  }
}

/** The server did not answer at all. */
export class Unreachable extends Error {
  override readonly name = "Unreachable";
}

export interface FieldError {
  readonly field: string;
  /** To stand beside the field. */
  readonly message: string;
  /** To stand anywhere else. */
  readonly withName: string;
}

interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly detail: string;
  readonly errors: readonly Pick<FieldError, "field" | "message">[];
}
