import { createHash } from "node:crypto";
import { parseIpAddress } from "@countersign/domain/ip/ip-address";
import { accountsOf, rememberDevice, removeOneTimeTokens } from "@countersign/store/queries/identity/sign-in";
import { updateUser, userById } from "@countersign/store/queries/identity/users";
import type { Store } from "@countersign/store/store";
import { type AuditContext, audit } from "../audit-log/record.ts";
import { writeEmail } from "../mail/email.ts";
import { recipientById, recipientOf } from "../mail/recipient.ts";
import { newDeviceEmail, passwordChangedEmail, securityEmail } from "./emails.ts";
import { revokeOtherAccess } from "./reset.ts";

/** Side effects of actions inside the sign-in library. */

/** How the library learns where a request came from; values that a caller sent under these names are dropped. */
export const ipHeader = "x-countersign-ip";
export const requestHeader = "x-request-id";

export interface OpenedSession {
  readonly userId: string;
  readonly ip: string | null;
  readonly userAgent: string;
}

/** The link was emailed, so the address is verified. Other links sent to it stop working. */
export async function passwordWasReset(
  store: Store,
  { id, name }: { id: string; name: string },
  from: Headers | undefined,
): Promise<void> {
  const nowMs = await store.clock();
  await store.transaction(async (db) => {
    await updateUser(db, id, { email_verified: 1, devices_since: nowMs }, nowMs);
    await removeOneTimeTokens(db, id);
    const closed = await revokeOtherAccess(db, id, nowMs);
    const reader = await recipientById(db, id);
    if (reader !== undefined) await writeEmail(db, passwordChangedEmail(reader), nowMs);
    await audit(db, auditContextOf(from, nowMs), {
      action: "person.password_reset",
      subject: { kind: "person", id, name },
      after: closed,
    });
  });
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

function auditContextOf(from: Headers | undefined, nowMs: number): AuditContext {
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
