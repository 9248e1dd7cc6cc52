import { createHash, randomBytes } from "node:crypto";
import { newId } from "@countersign/store/new-id";
import { addOneTimeToken, removeOneTimeTokens } from "@countersign/store/queries/identity/sign-in";
import type { Database } from "@countersign/store/store";

/** How the sign-in library stores tokens: never the token itself. */
export function storedIdentifier(identifier: string): string {
  return createHash("sha256").update(identifier).digest("base64url");
}

/** How the sign-in library looks up a token from a link. */
export function resetIdentifier(token: string): string {
  return `reset-password:${token}`;
}

/** A single-use link for choosing a password. Earlier links stop working. */
export async function newPasswordLink(
  db: Database,
  serverUrl: string,
  { userId, isFirst, goodForMs }: { userId: string; isFirst: boolean; goodForMs: number },
  nowMs: number,
): Promise<{ url: string; expiresAtMs: number }> {
  const token = randomBytes(24).toString("base64url");
  const expiresAtMs = nowMs + goodForMs;
  await removeOneTimeTokens(db, userId);
  const identifier = storedIdentifier(resetIdentifier(token));
  await addOneTimeToken(db, { id: newId(), identifier, value: userId, expiresAtMs }, nowMs);
  return { url: `${serverUrl}/reset-password?token=${token}${isFirst ? "&first=true" : ""}`, expiresAtMs };
}
