import { hash, randomBytes } from "node:crypto";
import { newId } from "@countersign/store/new-id";
import {
  addOneTimeToken,
  consumeOneTimeToken,
  passkeyById,
  passkeysOf,
  passkeyUsed,
  removeOneTimeTokensByValue,
} from "@countersign/store/queries/identity/sign-in";
import type { Store } from "@countersign/store/store";
import type { AuthenticationResponseJSON } from "@simplewebauthn/server";
import { type PersonActor, sessionOf } from "../../api/actor.ts";

/** How long a challenge can be answered, and a confirmation used. */
const confirmationLifetimeMs = 5 * 60_000;

/**
 * The challenge that a passkey has to sign. A session has one at a time, so requesting one costs no more than a row.
 */
export async function beginConfirmation(store: Store, actor: PersonActor, url: string, nowMs: number) {
  const challenge = await keep(store, actor, "challenge", nowMs);
  const passkeys = await passkeysOf(store.reads, actor.userId);
  return {
    challenge,
    rpId: new URL(url).hostname,
    timeout: confirmationLifetimeMs,
    userVerification: "required",
    allowCredentials: passkeys.map(({ credential_id, transports }) => ({
      id: credential_id,
      type: "public-key",
      transports: transports?.split(",").filter((one) => one !== "") ?? [],
    })),
  } as const;
}

/** Whether a passkey of this person has signed a challenge of this session. The challenge is used up either way. */
export async function isSignedByPasskey(
  store: Store,
  actor: PersonActor,
  response: AuthenticationResponseJSON,
  url: string,
  nowMs: number,
): Promise<boolean> {
  const challenge = challengeIn(response);
  if (challenge === null || !(await take(store, actor, "challenge", challenge, nowMs))) return false;
  const passkey = await passkeyById(store.reads, actor.userId, response.id);
  if (passkey === undefined) return false;
  const counter = await counterIn(response, challenge, passkey, url);
  if (counter === null) return false;
  await store.transaction((db) => passkeyUsed(db, passkey.id, counter));
  return true;
}

/** The passkey's signature counter if the signature is valid; null if not. */
async function counterIn(
  response: AuthenticationResponseJSON,
  expectedChallenge: string,
  { credential_id: id, public_key, counter }: { credential_id: string; public_key: string; counter: number },
  url: string,
): Promise<number | null> {
  const { hostname: expectedRPID, origin: expectedOrigin } = new URL(url);
  const publicKey = new Uint8Array(Buffer.from(public_key, "base64"));
  // Loaded when it is first needed: it is a quarter of what a start would cost.
  const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge,
      expectedOrigin,
      expectedRPID,
      credential: { id, publicKey, counter },
      requireUserVerification: true,
    });
    return verified ? authenticationInfo.newCounter : null;
  } catch {
    // It throws for anything wrong with the response.
    return null;
  }
}

/** Valid for one request in this session that requires confirmation. */
export async function newConfirmation(store: Store, actor: PersonActor, nowMs: number) {
  const confirmation = await keep(store, actor, "confirmation", nowMs);
  return { confirmation, expiresAt: new Date(nowMs + confirmationLifetimeMs).toISOString() };
}

export function takeConfirmation(
  store: Store,
  actor: PersonActor,
  confirmation: string,
  nowMs: number,
): Promise<boolean> {
  return take(store, actor, "confirmation", confirmation, nowMs);
}

type Kind = "challenge" | "confirmation";

/** Starts with the person's ID, so that it is deleted with their other tokens when the password changes. */
function ownerOf({ userId, ...actor }: PersonActor, kind: Kind): string {
  return `${userId} ${sessionOf({ userId, ...actor })} ${kind}`;
}

function identifierOf(kind: Kind, token: string): string {
  return `${kind}:${hash("sha256", token, "base64url")}`;
}

async function keep(store: Store, actor: PersonActor, kind: Kind, nowMs: number): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  const value = ownerOf(actor, kind);
  const item = {
    id: newId(),
    identifier: identifierOf(kind, token),
    value,
    expiresAtMs: nowMs + confirmationLifetimeMs,
  };
  await store.transaction(async (db) => {
    await removeOneTimeTokensByValue(db, value);
    await addOneTimeToken(db, item, nowMs);
  });
  return token;
}

async function take(
  store: Store,
  actor: PersonActor,
  kind: Kind,
  token: string,
  nowMs: number,
): Promise<boolean> {
  const value = await store.transaction((db) => consumeOneTimeToken(db, identifierOf(kind, token), nowMs));
  return value === ownerOf(actor, kind);
}

/** What the browser claims was signed. The signature check verifies it. */
function challengeIn({ response }: AuthenticationResponseJSON): string | null {
  try {
    const { challenge } = JSON.parse(Buffer.from(response.clientDataJSON, "base64url").toString("utf8"));
    return typeof challenge === "string" ? challenge : null;
  } catch {
    return null;
  }
}
