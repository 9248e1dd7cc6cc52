import { AsyncLocalStorage } from "node:async_hooks";
import { createHash } from "node:crypto";
import type { AuthRouteId } from "@countersign/contract/auth/routes";
import { parseIpAddress } from "@countersign/domain/ip/ip-address";
import { hashInvitationToken } from "@countersign/domain/members/invitation";
import { accountsOf, rememberDevice, removeOneTimeTokens } from "@countersign/store/queries/identity/sign-in";
import { updateUser, userByEmail, userById } from "@countersign/store/queries/identity/users";
import { pendingInvitationByToken } from "@countersign/store/queries/invitations/invitations";
import type { Store } from "@countersign/store/store";
import { sessionOf } from "../../../api/actor.ts";
import { Problem } from "../../../http/problem.ts";
import { type AuditContext, audit } from "../../audit-log/record.ts";
import { type Email, type Recipient, recipientById, recipientOf, writeEmail } from "../../mail/email.ts";
import { platformSettings } from "../../settings/platform-settings.ts";
import { newDeviceEmail, passwordChangedEmail, type SecurityChange, securityEmail } from "../emails.ts";
import { type AuthApiParts, type AuthCall, originOf } from "./auth-call.ts";

/** What is recorded and emailed when people sign up, sign in, or change how they do. */

/** How the library learns where a request came from; values that a caller sent under these names are dropped. */
export const ipHeader = "x-countersign-ip";
export const requestHeader = "x-request-id";

export interface OpenedSession {
  readonly userId: string;
  readonly ip: string | null;
  readonly userAgent: string;
}

/** A new account, or a signed-in user who linked another way to sign in. Only the latter is notified. */
export async function discordAccountAdded(
  store: Store,
  { userId, discordId }: { userId: string; discordId: string },
  from: Headers | undefined,
): Promise<void> {
  const nowMs = await store.clock();
  await store.transaction(async (db) => {
    const user = await userById(db, userId);
    if (user === undefined) return;
    const isNew = (await accountsOf(db, userId)).length === 1;
    await audit(db, auditContextOf(from, nowMs), {
      action: isNew ? "person.signed_up" : "person.account_linked",
      subject: { kind: "person", id: userId, name: user.name },
      after: { discord_id: discordId },
    });
    if (!isNew) await writeEmail(db, securityEmail(recipientOf(user), "discord_linked"), nowMs);
  });
}

/** People are notified of a sign-in from a new device or location. */
export async function personSignedIn(store: Store, { userId, ip, userAgent }: OpenedSession): Promise<void> {
  const nowMs = await store.clock();
  const fingerprint = createHash("sha256")
    .update(`${networkOf(ip)}\n${programOf(userAgent)}`)
    .digest("base64url");
  await store.transaction(async (db) => {
    const { isUnexpected } = await rememberDevice(db, userId, fingerprint, nowMs);
    const reader = isUnexpected ? await recipientById(db, userId) : undefined;
    if (reader === undefined) return;
    await writeEmail(db, newDeviceEmail(reader, { ip, userAgent, atMs: nowMs }), nowMs);
  });
}

export function auditContextOf(from: Headers | undefined, nowMs: number): AuditContext {
  const ip = from?.get(ipHeader) ?? null;
  return { actor: null, organization: null, nowMs, ip, requestId: from?.get(requestHeader) ?? "" };
}

/** Browsers update every few weeks: without version numbers, one is the same before and after. */
function programOf(userAgent: string): string {
  return userAgent.replace(/[\d._]+/g, "");
}

/** IP addresses change from day to day; their network less often. */
function networkOf(ip: string | null): string {
  const address = ip === null ? null : parseIpAddress(ip);
  if (address === null) return "";
  return Buffer.from(address.bytes.subarray(0, address.family === 4 ? 3 : 6)).toString("hex");
}

/** Set while someone signs up who has proven, by a token from an email, that the address is theirs. */
export const emailIsProven = new AsyncLocalStorage<true>();

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

/**
 * Creates an account, if this server allows it. The response is the same whether or not the email address already has
 * one: the email that follows says which.
 */
export async function signUp(
  call: AuthCall,
  parts: AuthApiParts,
  make: () => Promise<Response>,
): Promise<Response> {
  const { store, config } = parts;
  const email = String(call.body.email).toLowerCase();
  const invitationId = await invitationFor(call, parts, email);
  if (invitationId === null && (await platformSettings(store.reads, config)).sign_up === "closed")
    throw new Problem("sign_up_closed");
  const before = await userByEmail(store.reads, email);
  const response = invitationId !== null ? await emailIsProven.run(true, make) : await make();
  const isTaken = response.status === 422;
  if (!response.ok && !isTaken) return response;
  const made = before === undefined ? await userByEmail(store.reads, email) : undefined;
  if (made !== undefined && !isTaken) {
    await store.transaction((db) =>
      audit(
        db,
        { ...call, organization: null, actor: null },
        {
          action: "person.signed_up",
          subject: { kind: "person", id: made.id, name: made.name },
          // The audit entry of the invitation says whether its link was emailed or passed on.
          ...(invitationId === null ? {} : { after: { invitation_id: invitationId } }),
        },
      ),
    );
  }
  return Response.json({ status: true });
}

/** The ID of the invitation in the request; null if there is none. */
async function invitationFor(call: AuthCall, { store }: AuthApiParts, email: string): Promise<string | null> {
  const { invitationToken } = call.body;
  if (invitationToken === undefined) return null;
  const hash = hashInvitationToken(String(invitationToken));
  const invitation = await pendingInvitationByToken(store.reads, hash, call.nowMs);
  if (invitation !== undefined && invitation.email === email) return invitation.id;
  throw new Problem("invalid_invitation");
}
