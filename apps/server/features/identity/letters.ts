import { compose, oneLine } from "../mail/compose.ts";
import type { Letter } from "../mail/letter.ts";

/** What people are told about their account. */

const notYou = "If this was not you, sign in, change your password and end the other sessions.";

export function verificationLetter(to: string, url: string): Letter {
  return letter(to, "email_verification", {
    title: "Verify your e-mail address",
    before: ["Somebody signed up with this address. If it was you, verify it to sign in."],
    action: { label: "Verify this address", url },
    after: ["The link works for an hour. If it was not you, leave this letter alone: nothing happens."],
  });
}

export function existingAccountLetter(to: string, url: string): Letter {
  return letter(to, "sign_up_again", {
    title: "You have an account already",
    before: ["Somebody signed up with this address, which has an account. If it was you, sign in with it."],
    action: { label: "Sign in", url },
    after: ["If you do not know the password, ask for a new one there. If it was not you, nothing happened."],
  });
}

export function resetLetter(to: string, url: string): Letter {
  return letter(to, "password_reset", {
    title: "Choose a new password",
    before: ["Somebody asked for a new password for this address."],
    action: { label: "Choose a new password", url },
    after: ["The link works once, for an hour. If it was not you, leave this letter alone: nothing happens."],
  });
}

export function passwordChangedLetter(to: string): Letter {
  return letter(to, "password_changed", {
    title: "Your password was changed",
    before: ["The password of your account was changed, and all other sessions were ended."],
    action: null,
    after: ["If this was not you, ask for a new password on the sign-in page at once."],
  });
}

export function emailChangeLetter(to: string, url: string): Letter {
  return letter(to, "email_change", {
    title: "Confirm your new e-mail address",
    before: ["This address is to become the one of your account. Open the link while you are signed in."],
    action: { label: "Use this address", url },
    after: ["The link works once, for an hour. If you know nothing of it, leave this letter alone."],
  });
}

export function emailChangeAskedLetter(to: string, newEmail: string): Letter {
  return letter(to, "email_change_asked", {
    title: "Your e-mail address is about to change",
    before: [
      `Somebody who is signed in to your account wants to use ${oneLine(newEmail)} instead of this address.`,
    ],
    action: null,
    after: [`Nothing has changed yet. ${notYou}`],
  });
}

export function emailChangedLetter(to: string, newEmail: string): Letter {
  return letter(to, "email_changed", {
    title: "Your e-mail address was changed",
    before: [`Your account now has the address ${oneLine(newEmail)}. Letters no longer come here.`],
    action: null,
    after: ["If this was not you, ask the operator of this server for help."],
  });
}

export function newDeviceLetter(
  to: string,
  facts: { ip: string | null; userAgent: string; atMs: number },
): Letter {
  const when = new Date(facts.atMs).toISOString().slice(0, 16).replace("T", " ");
  return letter(to, "new_sign_in", {
    title: "A new sign-in to your account",
    before: [
      "Somebody signed in to your account from a place that is new.",
      `When: ${when} UTC. Address: ${facts.ip ?? "unknown"}. Program: ${oneLine(facts.userAgent.slice(0, 200)) || "unknown"}.`,
    ],
    action: null,
    after: [`If it was you, there is nothing to do. ${notYou}`],
  });
}

/** `what` says what happened, as a sentence. */
export function securityLetter(to: string, what: string): Letter {
  return letter(to, "account_security", {
    title: "How you sign in has changed",
    before: [what],
    action: null,
    after: [`If it was you, there is nothing to do. ${notYou}`],
  });
}

function letter(to: string, kind: string, words: Parameters<typeof compose>[0]): Letter {
  return { to, kind, subject: words.title, ...compose(words) };
}
