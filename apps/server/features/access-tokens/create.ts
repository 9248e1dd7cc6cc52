import { randomBytes } from "node:crypto";
import type { accessToken } from "@countersign/contract/manage/access-tokens";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { generateAccessToken } from "@countersign/domain/members/access-token";
import {
  missingPermissions,
  type Permission,
  sortedPermissions,
} from "@countersign/domain/members/permissions";
import { newId } from "@countersign/store/new-id";
import {
  accessTokenById,
  addAccessToken,
  countAccessTokens,
  type TokenHolder,
} from "@countersign/store/queries/access-tokens/tokens";
import { sessionOpenedAt } from "@countersign/store/queries/identity/sign-in";
import { lockedUser } from "@countersign/store/queries/identity/users";
import type { Database } from "@countersign/store/store";
import type { AccessTokenRow } from "@countersign/store/tables/organizations";

import type { z } from "zod";
import { permissionSet } from "../../api/access.ts";
import type { AuthenticatedContext, UserOrTokenContext } from "../../api/context.ts";
import { milliseconds } from "../../api/page.ts";
import { invalid, Problem } from "../../http/problem.ts";
import { audit } from "../audit-log/record.ts";
import { securityEmail } from "../identity/emails.ts";
import { checkReauthenticated } from "../identity/sign-in/reauthenticate.ts";
import { recipientById, writeEmail } from "../mail/email.ts";

/** More than anyone keeps track of. */
const maxTokens = 100;

interface TokenInput {
  readonly name: string;
  readonly permissions: readonly Permission[];
  readonly expires_at: string | null;
  readonly password?: string | undefined;
  readonly confirmation?: string | undefined;
}

/** Creates a token that has no more permissions, and lasts no longer, than the credentials that request it. */
export async function createToken(
  context: UserOrTokenContext,
  holder: TokenHolder,
  heldNow: (db: Database) => Promise<ReadonlySet<Permission>>,
  body: TokenInput,
) {
  const expiresAtMs = body.expires_at === null ? null : milliseconds(body.expires_at);
  if (expiresAtMs !== null && expiresAtMs <= context.nowMs) throw invalid("expires_at", "not_in_future");
  const permissions = sortedPermissions(body.permissions);
  const { store, signIn, actor, ip, nowMs } = context;
  if (actor.kind === "person")
    await checkReauthenticated({
      store,
      flood: signIn.flood,
      actor,
      password: body.password,
      confirmation: body.confirmation,
      ip,
      nowMs,
    });
  return context.transaction(async (db) => {
    checkHasPermissions(await heldNow(db), permissions);
    await checkAskingSession(db, context);
    await checkAskingToken(db, context, expiresAtMs);
    if ((await countAccessTokens(db, holder)) >= maxTokens)
      throw new Problem("access_token_limit_reached", { limit: maxTokens });
    const { token, hash, shownPrefix } = generateAccessToken(randomBytes);
    const row = {
      id: newId(),
      hash,
      shownPrefix,
      name: body.name,
      userId: "userId" in holder ? holder.userId : null,
      organizationId: "organizationId" in holder ? holder.organizationId : null,
      permissions,
      createdBy: actor.kind === "person" ? actor.userId : null,
      expiresAtMs,
    };
    await addAccessToken(db, row, context.nowMs);
    await audit(db, context, {
      action: "access_token.created",
      subject: { kind: "access_token", id: row.id, name: row.name },
      after: { name: row.name, prefix: shownPrefix, permissions, expires_at: isoTime(expiresAtMs) },
    });
    await writeEmails(db, context, holder);
    const made = await accessTokenById(db, row.id);
    if (made === undefined) throw new Error("The token that was just created does not exist.");
    return { ...showToken(made), token };
  });
}

/** The person who added it may not be the person it acts for, so those affected are notified. */
async function writeEmails(db: Database, context: AuthenticatedContext, holder: TokenHolder): Promise<void> {
  const { actor } = context;
  const what = "userId" in holder ? "access_token_created" : "organization_token_created";
  const owner = "userId" in holder ? holder.userId : context.organization?.owner_id;
  const people = new Set([owner, actor.kind === "person" ? actor.userId : null]);
  for (const userId of people) {
    const reader = userId === null || userId === undefined ? undefined : await recipientById(db, userId);
    if (reader !== undefined) await writeEmail(db, securityEmail(reader, what), context.nowMs);
  }
}

/**
 * Held until the transaction ends: a password reset that ends the session runs before or after, and leaves no token
 * behind.
 */
async function checkAskingSession(db: Database, context: AuthenticatedContext): Promise<void> {
  const { actor } = context;
  if (actor.kind !== "person" || !("session" in actor.by)) return;
  await lockedUser(db, actor.userId);
  if ((await sessionOpenedAt(db, actor.by.session)) === null) throw new Problem("session_expired");
}

function checkHasPermissions(held: ReadonlySet<Permission>, wanted: readonly Permission[]): void {
  const missing = missingPermissions(held, wanted);
  if (missing.length > 0)
    throw new Problem("permissions_exceeded", { permissions: missing }, { field: "permissions" });
}

/** Looked up again inside the transaction: a token that is revoked in the meantime must not create another. */
async function checkAskingToken(
  db: Database,
  context: UserOrTokenContext,
  expiresAtMs: number | null,
): Promise<void> {
  const { actor } = context;
  const tokenId = actor.kind === "token" ? actor.tokenId : "token" in actor.by ? actor.by.token : null;
  if (tokenId === null) return;
  const asking = await accessTokenById(db, tokenId);
  if (asking === undefined) throw new Problem("invalid_access_token");
  if (asking.expires_at === null) return;
  if (expiresAtMs === null || expiresAtMs > asking.expires_at)
    throw invalid("expires_at", "after_token_expiry", { latest: isoTime(asking.expires_at) });
}

export function showToken(row: AccessTokenRow): z.input<typeof accessToken> {
  return {
    id: row.id,
    name: row.name,
    prefix: row.shown_prefix,
    permissions: sortedPermissions(permissionSet(row.permissions)),
    created_at: isoTime(row.created_at),
    created_by: row.created_by,
    expires_at: isoTime(row.expires_at),
    last_used_at: isoTime(row.last_used_at),
  };
}
