import { hash, randomBytes } from "node:crypto";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { newId } from "@countersign/store/new-id";
import {
  addOneTimeToken,
  consumeOneTimeToken,
  passkeyById,
  passkeysOf,
  passkeyUsed,
  passwordHashOf,
  removeOneTimeTokensByValue,
  sessionOpenedAt,
} from "@countersign/store/queries/identity/sign-in";
import { userById } from "@countersign/store/queries/identity/users";
import type { Store } from "@countersign/store/store";
import type { AuthenticationResponseJSON } from "@simplewebauthn/server";
import { type PersonActor, sessionOf } from "../../../api/actor.ts";
import { invalid, Problem } from "../../../http/problem.ts";
import { networkOf } from "../../../http/request.ts";
import type { FloodLimits } from "../../../limits/flood-limits.ts";
import { recoveryPath, totpPath } from "../discord.ts";
import { checkingPasswordsOf, verifyPassword } from "../passwords/passwords.ts";
import type { AuthApiParts, AuthCall } from "./auth-call.ts";
import { problemFrom } from "./library-problems.ts";

/** How long a sign-in replaces the password, for people who have none. */
const freshForMs = 10 * 60_000;

interface Proof {
  readonly store: Store;
  readonly flood: FloodLimits;
  readonly actor: PersonActor;
  readonly password: string | undefined;
  /** The result of confirming with a passkey or a code. */
  readonly confirmation: string | undefined;
  readonly ip: string | null;
  readonly nowMs: number;
}

/**
 * Required before a way to sign in is added: the session may be in someone else's hands, at an unlocked computer or
 * through a stolen cookie. The password proves otherwise, or a recent confirmation by passkey or code; for an account
 * without a password, a recent sign-in does too. An access token was given in exchange for such a proof, and is not
 * asked again.
 */
export async function checkReauthenticated(proof: Proof): Promise<void> {
  const { store, flood, actor, password, ip } = proof;
  if ("token" in actor.by) return;
  if (proof.confirmation !== undefined) return checkConfirmation(proof, proof.confirmation);
  const stored = await passwordHashOf(store.reads, actor.userId);
  if (stored === null) return checkFresh(proof);
  if (password === undefined) throw invalid("password", "missing");
  await flood.check("password", ip, sessionOf(actor));
  const owner = { isKnown: true, network: networkOf(ip) };
  const isRight = await checkingPasswordsOf(owner, () => verifyPassword(password, stored));
  if (!isRight) throw new Problem("wrong_password");
  await flood.accounts.clearFailures("password", sessionOf(actor), { ip, deviceId: null });
}

/** The same if the sign-in library checks the password itself. */
export async function checkFreshWithoutPassword(proof: Proof): Promise<void> {
  if ((await passwordHashOf(proof.store.reads, proof.actor.userId)) !== null) return;
  if (proof.confirmation === undefined) await checkFresh(proof);
  else await checkConfirmation(proof, proof.confirmation);
}

async function checkConfirmation(proof: Proof, confirmation: string): Promise<void> {
  const { store, flood, actor, ip, nowMs } = proof;
  await flood.check("password", ip, sessionOf(actor));
  if (!(await takeConfirmation(store, actor, confirmation, nowMs))) throw new Problem("invalid_confirmation");
  await flood.accounts.clearFailures("password", sessionOf(actor), { ip, deviceId: null });
}

async function checkFresh({ store, actor, nowMs }: Proof): Promise<void> {
  const openedAtMs = await sessionOpenedAt(store.reads, sessionOf(actor));
  if (openedAtMs !== null && openedAtMs > nowMs - freshForMs) return;
  throw new Problem("recent_sign_in_required");
}

type CallLibrary = (path: string, body: object) => Promise<Response>;

/** A signed-in user proves their identity without the password. Every attempt was counted before. */
export async function confirmCall(
  call: AuthCall,
  person: PersonActor,
  { store, flood, config }: AuthApiParts,
  callLibrary: CallLibrary,
): Promise<Response> {
  const { route, body, nowMs, ip } = call;
  if (route.id === "beginConfirmation")
    return Response.json(await beginConfirmation(store, person, config.url, nowMs));
  if (body.code !== undefined) {
    const user = await userById(store.reads, person.userId);
    // A first code would enable two-factor authentication that was only started.
    if (user?.two_factor_enabled !== 1) throw new Problem("second_factor_off");
    await checkCode(call, String(body.code), callLibrary);
    await flood.accounts.clearFailures("second_factor", person.userId, { ip, deviceId: sessionOf(person) });
  } else {
    const response = body.response as AuthenticationResponseJSON;
    if (!(await isSignedByPasskey(store, person, response, config.url, nowMs)))
      throw new Problem("passkey_rejected");
  }
  await flood.accounts.clearFailures("password", sessionOf(person), { ip, deviceId: null });
  return Response.json(await newConfirmation(store, person, nowMs));
}

/** The library checks codes, and marks each as used. */
async function checkCode(call: AuthCall, code: string, callLibrary: CallLibrary): Promise<void> {
  const path = /^\d{6}$/.test(code) ? totpPath : recoveryPath;
  const response = await callLibrary(path, { code });
  if (response.status >= 400) throw await problemFrom(response, call.route);
}

/** How long a challenge can be answered, and a confirmation used. */
const confirmationLifetimeMs = 5 * 60_000;

/**
 * The challenge that a passkey has to sign. A session has one at a time, so requesting one costs no more than a row.
 */
async function beginConfirmation(store: Store, actor: PersonActor, url: string, nowMs: number) {
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
async function isSignedByPasskey(
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
async function newConfirmation(store: Store, actor: PersonActor, nowMs: number) {
  const confirmation = await keep(store, actor, "confirmation", nowMs);
  return { confirmation, expiresAt: isoTime(nowMs + confirmationLifetimeMs) };
}

function takeConfirmation(
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
