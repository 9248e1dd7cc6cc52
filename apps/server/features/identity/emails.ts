import { moment, translate } from "@countersign/domain/mail/translate";
import { oneLine } from "@countersign/domain/text/plain-line";
import { programName } from "@countersign/domain/user-agent/parse";
import { compose } from "../mail/compose.ts";
import type { Email, Recipient } from "../mail/email.ts";

/** Emails about accounts. */

export function verificationEmail(to: Recipient, url: string): Email {
  return compose(to, "email_verification", {
    before: ["email_verification.what"],
    action: { label: "email_verification.action", url },
    after: ["email_verification.until"],
  });
}

export function existingAccountEmail(to: Recipient, url: string): Email {
  return compose(to, "sign_up_again", {
    before: ["sign_up_again.what"],
    action: { label: "sign_up_again.action", url },
    after: ["sign_up_again.not_you"],
  });
}

export function resetEmail(to: Recipient, url: string): Email {
  return compose(to, "password_reset", {
    before: ["password_reset.what"],
    action: { label: "password_reset.action", url },
    after: ["password_reset.until"],
  });
}

/** For someone whom a platform admin added. */
export function accountCreatedEmail(to: Recipient, url: string, expiresAtMs: number): Email {
  return compose(to, "account_created", {
    before: ["account_created.what"],
    values: { email: to.email, until: moment(to.language, expiresAtMs) },
    action: { label: "account_created.action", url },
    after: ["account_created.until"],
  });
}

export function passwordChangedEmail(to: Recipient): Email {
  return compose(to, "password_changed", {
    before: ["password_changed.what"],
    after: ["password_changed.not_you"],
  });
}

export function emailChangeEmail(to: Recipient, url: string): Email {
  return compose(to, "email_change", {
    before: ["email_change.what"],
    action: { label: "email_change.action", url },
    after: ["email_change.until"],
  });
}

export function emailChangeRequestedEmail(to: Recipient, newEmail: string): Email {
  return compose(to, "email_change_requested", {
    before: ["email_change_requested.what"],
    values: { email: newEmail },
    after: [["email_change_requested.nothing_yet", "common.not_you"]],
  });
}

export function emailChangedEmail(to: Recipient, newEmail: string): Email {
  return compose(to, "email_changed", {
    before: ["email_changed.what"],
    values: { email: newEmail },
    after: ["email_changed.not_you"],
  });
}

export function newDeviceEmail(
  to: Recipient,
  facts: { ip: string | null; userAgent: string; atMs: number },
): Email {
  const { language } = to;
  const unknown = translate(language, "common.unknown");
  const program = programName(facts.userAgent) ?? oneLine(facts.userAgent.slice(0, 200));
  return compose(to, "new_sign_in", {
    before: ["new_sign_in.what"],
    facts: [
      { label: "label.when", value: moment(language, facts.atMs) },
      { label: "label.address", value: facts.ip ?? unknown },
      { label: "label.program", value: program || unknown },
    ],
    after: [["common.nothing_to_do", "common.not_you"]],
  });
}

/** The changes to how someone signs in, each with its sentence. */
export type SecurityChange =
  | "second_factor_enabled"
  | "second_factor_disabled"
  | "recovery_codes_renewed"
  | "passkey_added"
  | "passkey_removed"
  | "account_unlinked"
  | "discord_linked"
  | "access_token_created"
  | "organization_token_created";

export function securityEmail(to: Recipient, what: SecurityChange): Email {
  return compose(to, "account_security", {
    before: [`account_security.${what}`],
    after: [["common.nothing_to_do", "common.not_you"]],
  });
}
