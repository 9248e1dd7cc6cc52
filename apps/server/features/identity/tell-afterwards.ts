import type { AuthRouteId } from "@countersign/contract/auth/routes";
import { dropOneTimes } from "@countersign/store/queries/sign-in";
import { audit } from "../audit-log/record.ts";
import { type Letter, writeLetter } from "../mail/letter.ts";
import type { AuthApiParts, AuthCall } from "./auth-api.ts";
import { passwordChangedLetter, securityLetter } from "./letters.ts";

interface Telling {
  readonly action: string;
  readonly letter?: (to: string) => Letter;
}

const security = (what: string) => (to: string) => securityLetter(to, what);

/** What is written down, and told, when somebody changed how they sign in. */
const tellings: Readonly<Partial<Record<AuthRouteId, Telling>>> = {
  changePassword: { action: "person.password_changed", letter: passwordChangedLetter },
  verifyTotp: {
    action: "person.second_factor_enabled",
    letter: security("Signing in now asks for a code from your app as well."),
  },
  disableSecondFactor: {
    action: "person.second_factor_disabled",
    letter: security("Signing in no longer asks for a code from your app."),
  },
  renewRecoveryCodes: {
    action: "person.recovery_codes_renewed",
    letter: security("There are new recovery codes for your account. The old ones do not work any more."),
  },
  addPasskey: {
    action: "person.passkey_added",
    letter: security("A passkey was added to your account."),
  },
  removePasskey: {
    action: "person.passkey_removed",
    letter: security("A passkey was removed from your account."),
  },
  unlinkAccount: {
    action: "person.account_unlinked",
    letter: security("An account elsewhere, with which you could sign in, was taken off."),
  },
};

/** Only for somebody who was signed in: whoever is signing in with a code has not changed anything. */
export async function tellAfterwards(call: AuthCall, { store, flood }: AuthApiParts): Promise<void> {
  const { route, person, body, nowMs } = call;
  if (route.id === "signIn") await flood.accounts.forgive("sign_in", String(body.email));
  if (person === null) return;
  if (route.attempt === "password") await flood.accounts.forgive("password", person.userId);
  const telling = tellings[route.id];
  if (telling === undefined) return;
  await store.transaction(async (db) => {
    if (route.id === "changePassword") await dropOneTimes(db, person.userId);
    const subject = { kind: "person", id: person.userId, name: person.name };
    await audit(db, { ...call, actor: person, organization: null }, { action: telling.action, subject });
    if (telling.letter !== undefined) await writeLetter(db, telling.letter(person.email), nowMs);
  });
}
