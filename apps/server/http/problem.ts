import type { FieldErrorBody, Params } from "@countersign/contract/problems/declare";
import { statusTitles } from "@countersign/contract/problems/declare";
import {
  type FieldErrorCode,
  type FieldErrorParams,
  type FieldFault,
  fieldErrorBody,
  fieldFault,
  type ParamsArgument,
  type ProblemCode,
  type ProblemParams,
  problems,
  problemText,
} from "@countersign/contract/problems/problems";
import { noSniffing } from "./no-sniffing.ts";

interface ProblemOptions {
  /** The field that the problem is about: the response lists it in `errors` as well, with the same code. */
  readonly field?: string;
  readonly errors?: readonly FieldErrorBody[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Further members of the body, for programs. */
  readonly members?: Readonly<Record<string, unknown>>;
  /** Instead of the code's own text. */
  readonly detail?: string;
}

type ProblemArguments<C extends ProblemCode> = [keyof ProblemParams<C>] extends [never]
  ? [params?: ProblemParams<C>, options?: ProblemOptions]
  : [params: ProblemParams<C>, options?: ProblemOptions];

/** A refusal. Thrown where it is found, turned into a response in one place. */
export class Problem<C extends ProblemCode = ProblemCode> extends Error {
  override readonly name = "Problem";
  readonly code: C;
  readonly params: Params;
  readonly errors: readonly FieldErrorBody[];
  readonly headers: Readonly<Record<string, string>>;
  readonly members: Readonly<Record<string, unknown>>;

  constructor(code: C, ...rest: ProblemArguments<C>) {
    const [params = {}, options = {}] = rest as [params?: Params, options?: ProblemOptions];
    super(options.detail ?? problemText(code, params));
    this.code = code;
    this.params = params;
    const { field, errors = [], headers = {}, members = {} } = options;
    this.errors = field === undefined ? errors : [{ field, code, params, message: this.message }, ...errors];
    this.headers = headers;
    this.members = members;
  }

  get status(): number {
    return problems[this.code].status;
  }
}

/** One field is wrong. */
export function invalid<C extends FieldErrorCode>(
  field: string,
  code: C,
  ...params: ParamsArgument<FieldErrorParams<C>>
): Problem {
  return invalidField(field, fieldFault(code, ...params));
}

export function invalidField(
  field: string,
  fault: FieldFault,
  headers: Record<string, string> = {},
): Problem {
  const error = fieldErrorBody(field, fault);
  return new Problem("invalid", {}, { errors: [error], detail: error.message, headers });
}

/** The reason is for people, in the words of the platform admin who gave it. */
export function organizationSuspended(reason: string | null): Problem {
  const text = problemText("organization_suspended", {});
  const detail = reason === null ? text : `${text} Reason: ${reason}`;
  return new Problem("organization_suspended", {}, { detail });
}

/** What a response says. Refusals in floods are plain objects: an error takes longer to create than the response. */
export type Refusal = Pick<
  Problem,
  "code" | "params" | "status" | "message" | "errors" | "headers" | "members"
>;

/** RFC 9457, with the code and its parameters. */
export function problemResponse(problem: Refusal, requestId: string): Response {
  const { code, params, status, message, errors, members, headers } = problem;
  const body = {
    type: `/problems/${code}`,
    title: statusTitles[status] ?? "Error",
    status,
    detail: message,
    code,
    params,
    ...(errors.length > 0 ? { errors } : {}),
    ...members,
    request_id: requestId,
  };
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      ...noSniffing,
      "content-type": "application/problem+json; charset=utf-8",
      "cache-control": "no-store",
      "x-request-id": requestId,
      ...headers,
    },
  });
}
