import { compose, type Recipient } from "../mail/compose.ts";
import type { Email } from "../mail/email.ts";

/** How long a code and its link work. */
export const codeMinutes = 10;

/** Without a code if too many were sent: the link alone is enough. */
export function signInEmail(to: Recipient, code: string | null, url: string): Email {
  return compose(to, "portal_sign_in", {
    values: { minutes: codeMinutes },
    before: [code === null ? "portal_sign_in.what_link" : "portal_sign_in.what"],
    facts: code === null ? [] : [{ label: "label.code", value: code, isCode: true }],
    action: { label: "portal_sign_in.action", url },
    after: [code === null ? "portal_sign_in.until_link" : "portal_sign_in.until"],
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
