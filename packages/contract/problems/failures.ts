import { filled, type Params, type ParamsOf, type Text } from "./declare.ts";
import type { ParamsArgument } from "./problems.ts";

/** Why something failed that the server did on its own: a webhook attempt, an email, an import. */
export const failures = {
  // Webhooks
  webhook_connection_closed: "The connection was closed before there was a response.",
  webhook_connection_refused: "The connection was refused: nothing listens at the URL.",
  webhook_gone: "The receiver responded with 410, so the webhook was disabled.",
  webhook_host_not_public:
    "The host has a private IP address. The operator of the server can allow private ones.",
  webhook_host_unknown: "The host name could not be resolved.",
  webhook_host_without_ip: "The host name has no IP address.",
  webhook_redirected:
    "The response was a redirect ({status}), which is not followed. Set the webhook's URL to its final location.",
  webhook_request_failed: "The request failed: {reason}",
  webhook_request_not_built:
    "The request could not be prepared. Ask the operator of the server to look into it.",
  webhook_result_not_stored: "The request and its response could not be stored.",
  webhook_status: "The response was {status}. Any status from 200 to 299 means that the event has arrived.",
  webhook_timed_out: {
    one: "There was no response within {count} second.",
    other: "There was no response within {count} seconds.",
  },
  webhook_url_invalid: "The webhook's URL is not accepted: {error}",

  // Imports
  import_file_invalid: "The file could not be read: {error}",
  import_file_missing: "The file is no longer stored. Send it again.",
  import_license_limit_reached:
    "The {plan} plan limits licenses to {limit}, and this organization has {used}. The file would exceed the limit, so nothing was imported. A higher plan or the operator of this server can raise the limit.",
  import_product_deleted: "The product was deleted.",
  import_row_changed:
    "Row {row} became invalid while the import was running, so everything was undone: {error}",
  import_rows_invalid: {
    one: "{count} of {rows} rows is invalid, so nothing was imported.",
    other: "{count} of {rows} rows are invalid, so nothing was imported.",
  },

  // Emails. `response` is what the mail server said.
  email_rejected: "The mail server refused the email: {response}",
  mail_sign_in_refused: "The mail server refused the user name or the password: {response}",
  mail_server_error: "The mail server reported an error: {response}",
  mail_server_unreachable: "The mail server cannot be reached: {reason}",
  mail_server_timeout: "The mail server took too long to respond.",
  mail_tls_failed: "There is no secure connection to the mail server: {reason}",
  email_not_sent: "The email could not be sent: {reason}",
} as const satisfies Record<string, Text>;

type FailureCode = keyof typeof failures;
type FailureParams<C extends FailureCode> = ParamsOf<(typeof failures)[C]>;

/** As it is stored. */
export interface Failure {
  readonly code: FailureCode;
  readonly params: Params;
}

/** As responses contain it. */
interface ShownFailure extends Failure {
  /** In English. */
  readonly message: string;
}

export function failure<C extends FailureCode>(
  code: C,
  ...[params]: ParamsArgument<FailureParams<C>>
): Failure {
  return { code, params: params ?? {} };
}

export function failureText({ code, params }: Failure): string {
  return filled(failures[code], params);
}

/** A stored failure, as responses contain it. */
export function shownFailure(stored: string | null): ShownFailure | null {
  if (stored === null) return null;
  const kept: Failure = JSON.parse(stored);
  return { ...kept, message: failureText(kept) };
}
