/** Each kind of problem the management API answers with: its status and its title. */
export const problemKinds = {
  invalid: [422, "Something in the request is not right"],
  malformed: [400, "The request cannot be read"],
  signed_out: [401, "Nobody is signed in"],
  second_factor_required: [401, "The second factor is missing"],
  wrong_credentials: [401, "That does not open anything"],
  email_not_verified: [403, "The e-mail address is not verified"],
  forbidden: [403, "Not allowed"],
  wrong_origin: [403, "The request comes from another site"],
  too_slow: [408, "The body did not arrive in time"],
  not_found: [404, "There is nothing here"],
  wrong_method: [405, "This address does not answer to that method"],
  conflict: [409, "This clashes with what is there"],
  secret_already_shown: [409, "The first answer contained a secret"],
  changed_meanwhile: [412, "Somebody else was quicker"],
  too_large: [413, "The body is too large"],
  wrong_type: [415, "The body has another type than this address reads"],
  limit_reached: [403, "A limit is reached"],
  too_many_requests: [429, "Too many requests"],
  broken: [500, "Something went wrong on the server"],
  unavailable: [503, "The server cannot answer right now"],
} as const;

export type ProblemKind = keyof typeof problemKinds;

export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** Thrown by whoever finds it, answered in one place. `detail` is for people, and says what would be right. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly kind: ProblemKind;
  readonly errors: readonly FieldError[];
  readonly headers: Readonly<Record<string, string>>;
  /** Further members of the body, for programs. */
  readonly members: Readonly<Record<string, unknown>>;

  constructor(
    kind: ProblemKind,
    detail: string,
    {
      errors = [],
      headers = {},
      members = {},
    }: {
      errors?: readonly FieldError[];
      headers?: Record<string, string>;
      members?: Record<string, unknown>;
    } = {},
  ) {
    super(detail);
    this.kind = kind;
    this.errors = errors;
    this.headers = headers;
    this.members = members;
  }

  get status(): number {
    return problemKinds[this.kind][0];
  }
}

/** The same words for what does not exist and for what is somebody else's. */
export function notFound(what = "resource"): Problem {
  return new Problem("not_found", `There is no such ${what}, or you cannot see it.`);
}

/** One field is wrong. `message` goes on where the field's name ends: "should be a number". */
export function invalid(field: string, message: string): Problem {
  return new Problem("invalid", `${field} ${message}.`, {
    errors: [{ field, message: `${field} ${message}.` }],
  });
}

export function problemResponse(
  problem: Pick<Problem, "kind" | "message" | "errors" | "headers"> & Partial<Pick<Problem, "members">>,
  requestId: string,
): Response {
  const [status, title] = problemKinds[problem.kind];
  const body = {
    type: `/problems/${problem.kind.replaceAll("_", "-")}`,
    title,
    status,
    detail: problem.message,
    ...(problem.errors.length > 0 ? { errors: problem.errors } : {}),
    ...problem.members,
    request_id: requestId,
  };
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      "content-type": "application/problem+json; charset=utf-8",
      "cache-control": "no-store",
      "x-request-id": requestId,
      ...problem.headers,
    },
  });
}
