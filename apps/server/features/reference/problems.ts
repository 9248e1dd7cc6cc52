import { type ProblemKind, problemKinds } from "../../http/manage/problem.ts";

/** The page of a problem's `type`, as text; null for a type that does not exist. */
export function problemPage(name: string): string | null {
  const kind = (Object.keys(problemKinds) as ProblemKind[]).find((one) => one.replaceAll("_", "-") === name);
  if (kind === undefined) return null;
  const [status, title] = problemKinds[kind];
  return `${title}\n\ntype    /problems/${name}\nstatus  ${status}\n\n${explanations[kind]}\n`;
}

const explanations: Readonly<Record<ProblemKind, string>> = {
  invalid:
    "A field of the body or a parameter of the query is missing or is not what it should be.\n`errors` names each of them and says what would be right.",
  malformed:
    "The request could not be read: its body is not JSON, or a header such as Idempotency-Key is malformed.",
  signed_out:
    "The request came without a session or an access token, or with one that is not known, was revoked or has run out.\nSign in again, or send: Authorization: Bearer <access token>.",
  second_factor_required: "The password was right, and the account asks for its second factor as well.",
  wrong_credentials:
    "The e-mail address, the password, the code or the passkey is not right. Which of them is not said.",
  email_not_verified:
    "The account exists and its e-mail address was not confirmed yet. Follow the link in the letter that was sent to it.",
  forbidden:
    "You are known, and may not do this: your role or your token lacks the permission that `detail` names,\nor the organization is suspended.",
  wrong_origin:
    "The request came with a session cookie from a page of another site. Programs should send an access token instead.",
  not_found: "There is no such thing, or it belongs to an organization that you are not a member of.",
  wrong_method: "The address exists and answers to other methods. The header Allow names them.",
  conflict:
    "What is wanted clashes with what is there: a name that is taken, an Idempotency-Key that was used for another\nrequest, or a rule such as that there is always one platform admin.",
  secret_already_shown:
    "The same request was made before with this Idempotency-Key, and its answer contained a secret. Secrets are shown\nonce and not kept. `first_answer` is that answer without them, `secret_fields` names them, and `detail` says how\nto get a new one. Nothing was changed by the repeat.",
  changed_meanwhile:
    "If-Match, or `updated_at` in the body, says that you read an older state than the present one.\nRead it again and repeat your change.",
  too_slow:
    "The body of the request stopped arriving, or took longer than a body of its size should. Send it again.",
  too_large: "The body is larger than this address takes.",
  wrong_type: "The body has another Content-Type than this address reads.",
  limit_reached: "A limit of the plan, or one that the operator set, is reached. `detail` says which.",
  too_many_requests: "Too many requests in too short a time. Retry-After says how many seconds to wait.",
  broken:
    "Something went wrong that should not. The server's log has the details under the `request_id` of the answer.",
  unavailable:
    "The database does not answer right now. Nothing was changed. Retry-After says how long to wait.",
};
