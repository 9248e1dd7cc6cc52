import { compose, type Recipient } from "../mail/compose.ts";
import type { Email } from "../mail/email.ts";

/** How long a code and its link work. */
export const codeMinutes = 10;

export function signInCode(to: Recipient, code: string, url: string): Email {
  return compose(to, "portal_sign_in", {
    values: { minutes: codeMinutes },
    before: ["portal_sign_in.what"],
    facts: [{ label: "label.code", value: code, isCode: true }],
    action: { label: "portal_sign_in.action", url },
    after: ["portal_sign_in.until"],
  });
}

/** Without a link: the code works only in the session that requested it. */
export function addEmailCode(to: Recipient, code: string): Email {
  return compose(to, "portal_email", {
    values: { minutes: codeMinutes },
    before: ["portal_email.what"],
    facts: [{ label: "label.code", value: code, isCode: true }],
    after: ["portal_email.until"],
  });
}
