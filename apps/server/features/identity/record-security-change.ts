import type { AuthRouteId } from "@countersign/contract/auth/routes";
import { removeOneTimeTokens } from "@countersign/store/queries/identity/sign-in";
import { updateUser } from "@countersign/store/queries/identity/users";
import { sessionOf } from "../../api/actor.ts";
import { audit } from "../audit-log/record.ts";
import type { Recipient } from "../mail/compose.ts";
import { type Email, writeEmail } from "../mail/email.ts";
import { recipientById } from "../mail/recipient.ts";
import type { AuthApiParts, AuthCall } from "./auth-call.ts";
import { originOf } from "./call-origin.ts";
import { passwordChangedEmail, type SecurityChange, securityEmail } from "./emails.ts";

interface SecurityNotice {
  readonly action: string;
  readonly message: (to: Recipient) => Email;
}

const security = (what: SecurityChange): SecurityNotice => ({
  action: `person.${what}`,
  message: (to) => securityEmail(to, what),
});

/** What is recorded, and emailed, when someone changes how they sign in. */
const notices: Readonly<Partial<Record<AuthRouteId, SecurityNotice>>> = {
  changePassword: { action: "person.password_changed", message: passwordChangedEmail },
  verifyTotp: security("second_factor_enabled"),
  disableSecondFactor: security("second_factor_disabled"),
  renewRecoveryCodes: security("recovery_codes_renewed"),
  addPasskey: security("passkey_added"),
  removePasskey: security("passkey_removed"),
  unlinkAccount: security("account_unlinked"),
};

/**
 * Only for someone who was signed in: signing in with a code changes nothing. `signedInUserId` is the user whose session
 * was opened.
 */
export async function recordSecurityChange(
  call: AuthCall,
  { store, flood }: AuthApiParts,
  signedInUserId: string | null,
): Promise<void> {
  const { route, person, device, body, ip, nowMs } = call;
  if (route.id === "signIn")
    await flood.accounts.clearFailures("sign_in", String(body.email), originOf(call));
  if (route.attempt === "second_factor" && person === null && signedInUserId !== null) {
    const deviceId = device?.owner.id === signedInUserId ? device.id : null;
    await flood.accounts.clearFailures("second_factor", signedInUserId, { ip, deviceId });
  }
  if (person === null) return;
  if (route.attempt === "password")
    await flood.accounts.clearFailures("password", sessionOf(person), originOf(call));
  const notice = notices[route.id];
  if (notice === undefined) return;
  await store.transaction(async (db) => {
    if (route.id === "changePassword") {
      await removeOneTimeTokens(db, person.userId);
      await updateUser(db, person.userId, { devices_since: nowMs }, nowMs);
    }
    const subject = { kind: "person", id: person.userId, name: person.name };
    await audit(db, { ...call, actor: person, organization: null }, { action: notice.action, subject });
    const reader = await recipientById(db, person.userId);
    if (reader !== undefined) await writeEmail(db, notice.message(reader), nowMs);
  });
}
