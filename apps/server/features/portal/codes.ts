import { randomInt } from "node:crypto";
import { defaultLanguage, type Language } from "@countersign/domain/mail/languages";
import { newId } from "@countersign/store/new-id";
import {
  addPortalCode,
  hasRequestedCode,
  knownEmail,
  removeCodesOf,
  type TriedCode,
  takeLink,
  tryCodesForAdding,
  tryCodesOfOthers,
  tryRequestedCodes,
} from "@countersign/store/queries/portal/codes";
import { lockForAddition, lockOwner } from "@countersign/store/queries/portal/people";
import type { Database, Store } from "@countersign/store/store";
import { Problem } from "../../http/problem.ts";
import type { AccountLimits, Origin } from "../../limits/account-limits.ts";
import type { Attempt } from "../../limits/attempts.ts";
import { compose } from "../mail/compose.ts";
import { type Email, type Recipient, writeEmail } from "../mail/email.ts";
import { isSame, type PortalSecrets } from "./secrets.ts";
import { newPortalToken } from "./session.ts";

/** How long a code and its link work. */
const codeMinutes = 10;
export const codeSeconds = codeMinutes * 60;

/** What codes need of the server. */
export interface CodeParts {
  readonly store: Store;
  readonly secrets: PortalSecrets;
  /** Counts per email address. */
  readonly limits: AccountLimits;
  /** Counts a request of an unknown browser, or throws a 429: a flood from many IP addresses must not fill the database. */
  readonly countUnknownBrowser: () => void;
  readonly portalUrl: string;
}

interface SignInRequest {
  /** In lower case. */
  readonly email: string;
  /** The page to continue to. */
  readonly next: string | undefined;
  /** Identifies the browser. */
  readonly challenge: string;
  readonly ip: string | null;
  /** The ID of the browser's mark, if it belongs to this person. */
  readonly deviceOf: (personId: string) => string | null;
  /** The language that was chosen in this browser, or that the link to the portal names. */
  readonly language: Language | null;
  /** The browser's language. */
  readonly browserLanguage: Language | null;
  readonly nowMs: number;
}

/**
 * Sends a code and a link, if someone is known by this email address. Where many are requested, only the link, which
 * nobody can guess. Beyond the limit nothing is sent, and earlier codes stay valid. The caller cannot tell the difference: an unknown email address is counted and stored in the same
 * way, with a code that no six digits match.
 */
export async function requestSignIn(parts: CodeParts, request: SignInRequest): Promise<void> {
  const { store, secrets, portalUrl } = parts;
  const { email, challenge, ip, nowMs } = request;
  const { isKnown, personId, ...known } = await knownEmail(store.reads, email);
  const deviceId = personId === null ? null : request.deviceOf(personId);
  if (deviceId === null) parts.countUnknownBrowser();
  if (!(await isWithinLimit(parts.limits, "portal_sign_in", email, { ip, deviceId }))) return;
  const hasCode =
    deviceId !== null || (await isWithinLimit(parts.limits, "portal_code_sent", email, { ip, deviceId }));
  const [id, code, link] = [newId(), newCode(), newPortalToken()];
  const language = request.language ?? known.chosenLanguage ?? request.browserLanguage;
  const to = { email, language: language ?? known.sellerLanguage ?? defaultLanguage };
  const next = request.next === undefined ? "" : `&next=${encodeURIComponent(request.next)}`;
  const message = signInEmail(to, hasCode ? code : null, `${portalUrl}/sign-in/link#${link}${next}`);
  await store.transaction(async (db) => {
    await addPortalCode(db, {
      id,
      email,
      email_hash: secrets.emailHash(email),
      person_id: null,
      code_hash: secrets.codeHash(id, isKnown && hasCode ? code : newPortalToken()),
      link_hash: secrets.linkHash(link),
      challenge_hash: secrets.challengeHash(challenge),
      created_at: nowMs,
      expires_at: nowMs + codeSeconds * 1_000,
    });
    if (isKnown) await writeEmail(db, message, nowMs);
  });
}

interface Addition {
  readonly personId: string;
  readonly language: Language;
}

/**
 * Sends a code with which this person can add the email address. It works in their sessions only. It counts like a code
 * for signing in: someone who guesses it gets the email address too.
 */
export async function requestAddition(
  parts: CodeParts,
  request: Pick<SignInRequest, "email" | "ip" | "nowMs"> & Addition,
): Promise<void> {
  const { store, secrets } = parts;
  const { email, personId, ip, nowMs } = request;
  const from: Origin = { ip, deviceId: null };
  if (!(await isWithinLimit(parts.limits, "portal_sign_in", email, from))) return;
  if (!(await isWithinLimit(parts.limits, "portal_code_sent", email, from))) return;
  const [id, code] = [newId(), newCode()];
  await store.transaction(async (db) => {
    await addPortalCode(db, {
      id,
      email,
      email_hash: secrets.emailHash(email),
      person_id: personId,
      code_hash: secrets.codeHash(id, code),
      // Nobody knows these: there is no link, and the session identifies the browser.
      link_hash: secrets.linkHash(newPortalToken()),
      challenge_hash: secrets.challengeHash(newPortalToken()),
      created_at: nowMs,
      expires_at: nowMs + codeSeconds * 1_000,
    });
    await writeEmail(db, addEmailCode({ email, language: request.language }, code), nowMs);
  });
}

interface CodeAttempt {
  readonly email: string;
  readonly code: string;
  /** Of the browser that makes the attempt; null if it has requested nothing. */
  readonly challenge: string | null;
  readonly ip: string | null;
  readonly nowMs: number;
}

/**
 * Runs `then` in the transaction that uses up the code; null if the code is wrong. The browser that requested a code
 * has its own attempts, so that others cannot use them up. All other browsers together have as many, and are limited
 * per email address as well.
 */
export async function withSignInCode<T>(
  { store, secrets, limits, countUnknownBrowser }: CodeParts,
  { email, code, challenge, ip, nowMs }: CodeAttempt,
  then: (db: Database) => Promise<T>,
): Promise<T | null> {
  const emailHash = secrets.emailHash(email);
  const requested = { emailHash, challengeHash: secrets.challengeHash(challenge ?? ""), nowMs };
  const isRequester = challenge !== null && (await hasRequestedCode(store.reads, requested));
  const from: Origin = { ip, deviceId: null };
  if (!isRequester) {
    countUnknownBrowser();
    await limits.check("portal_code", email, from);
  }
  const result = await store.transaction(async (db) => {
    await lockOwner(db, { kind: "email", value: email });
    const tried = isRequester
      ? await tryRequestedCodes(db, requested)
      : await tryCodesOfOthers(db, { emailHash, nowMs });
    if (!isAmong(tried, code, secrets)) return null;
    await removeCodesOf(db, emailHash);
    return { value: await then(db) };
  });
  if (result === null) return null;
  if (!isRequester) await limits.clearFailures("portal_code", email, from);
  await forgiveRequests(limits, email, ip);
  return result.value;
}

/** Emails that led to a sign-in do not count: only the owner of the email address can bring that about. */
async function forgiveRequests(limits: AccountLimits, email: string, ip: string | null): Promise<void> {
  for (const attempt of ["portal_sign_in", "portal_code_sent"] as const)
    await limits.clearFailures(attempt, email, { ip, deviceId: null });
}

/** The same with the link from the email, which nobody can guess. */
export async function withSignInLink<T>(
  { store, secrets, limits }: CodeParts,
  { token, ip, nowMs }: { readonly token: string; readonly ip: string | null; readonly nowMs: number },
  then: (db: Database, email: string) => Promise<T>,
): Promise<T | null> {
  const result = await store.transaction(async (db) => {
    const email = await takeLink(db, secrets.linkHash(token), nowMs);
    return email === null ? null : { email, value: await then(db, email) };
  });
  if (result === null) return null;
  await forgiveRequests(limits, result.email, ip);
  return result.value;
}

/** The same with a code for adding an email address. */
export async function withAdditionCode<T>(
  { store, secrets }: Pick<CodeParts, "store" | "secrets">,
  attempt: Pick<CodeAttempt, "email" | "code" | "nowMs"> & { readonly personId: string },
  then: (db: Database) => Promise<T>,
): Promise<T | null> {
  const { email, code, personId, nowMs } = attempt;
  const emailHash = secrets.emailHash(email);
  return store.transaction(async (db) => {
    await lockForAddition(db, personId, { kind: "email", value: email });
    const tried = await tryCodesForAdding(db, { emailHash, personId, nowMs });
    if (!isAmong(tried, code, secrets)) return null;
    await removeCodesOf(db, emailHash);
    return then(db);
  });
}

async function isWithinLimit(
  limits: AccountLimits,
  attempt: Attempt,
  email: string,
  from: Origin,
): Promise<boolean> {
  try {
    await limits.check(attempt, email, from);
    return true;
  } catch (error) {
    if (error instanceof Problem && error.code === "too_many_attempts") return false;
    throw error;
  }
}

function newCode(): string {
  return String(randomInt(1_000_000)).padStart(6, "0");
}

/** Compares with at least one, and always with all: the time says nothing about which. */
function isAmong(tried: readonly TriedCode[], code: string, secrets: PortalSecrets): boolean {
  const compared = tried.length === 0 ? [noCode] : tried;
  return compared.map((row) => isSame(secrets.codeHash(row.id, code), row.code_hash)).includes(true);
}

const noCode: TriedCode = { id: "", code_hash: "" };

/** Without a code if too many were sent: the link alone is enough. */
export function signInEmail(to: Recipient, code: string | null, url: string): Email {
  return compose(to, "portal_sign_in", {
    values: { minutes: codeMinutes },
    before: [code === null ? "portal_sign_in.what_link" : "portal_sign_in.what"],
    facts: code === null ? [] : [{ label: "label.code", value: code, isCode: true }],
    action: { label: "portal_sign_in.action", url },
    after: [code === null ? "portal_sign_in.until_link" : "portal_sign_in.until"],
  });
}

/** Without a link: the code works only in the session that requested it. */
export function addEmailCode(to: Recipient, code: string): Email {
  return compose(to, "portal_email", {
    values: { minutes: codeMinutes },
    before: ["portal_email.what"],
    facts: [{ label: "label.code", value: code, isCode: true }],
    after: ["portal_email.until"],
  });
}
