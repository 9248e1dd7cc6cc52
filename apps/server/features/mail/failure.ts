import { type Failure, failure } from "@countersign/contract/problems/failures";
import { reasonOf } from "../../base/log.ts";

/** Longer than what mail servers say. */
const longestWords = 500;

export class MailTimeout extends Error {
  override readonly name = "MailTimeout";
}

/** Why an email could not be sent. */
export function mailFailure(error: unknown): Failure {
  if (error instanceof MailTimeout) return failure("mail_server_timeout");
  const reason = cut(reasonOf(error));
  if (!(error instanceof Error)) return failure("email_not_sent", { reason });
  const code = "code" in error ? error.code : null;
  const said = "response" in error && typeof error.response === "string" ? error.response : "";
  const response = said === "" ? reason : cut(said);
  switch (code) {
    case "EENVELOPE":
    case "EMESSAGE":
      return failure("email_rejected", { response });
    case "EAUTH":
    case "ENOAUTH":
      return failure("mail_sign_in_refused", { response });
    case "ETLS":
    case "EREQUIRETLS":
      return failure("mail_tls_failed", { reason });
    case "ETIMEDOUT":
      return failure("mail_server_timeout");
    case "ECONNECTION":
    case "ESOCKET":
    case "EDNS":
      return failure("mail_server_unreachable", { reason });
    default:
      return said === "" ? failure("email_not_sent", { reason }) : failure("mail_server_error", { response });
  }
}

function cut(text: string): string {
  return text.slice(0, longestWords).toWellFormed();
}
