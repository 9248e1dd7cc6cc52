import { hash, randomBytes } from "node:crypto";
import { newId } from "@countersign/store/new-id";
import {
  addPortalSession,
  endPortalSession,
  limitPortalSessions,
  type ProvenIdentity,
  personWith,
  portalIdentitiesOf,
  portalSessionByHash,
  touchPortalSession,
} from "@countersign/store/queries/portal/people";
import type { Database, Store } from "@countersign/store/store";
import type { PortalSessionRow } from "@countersign/store/tables/portal";
import type { CustomerActor } from "../../api/actor.ts";
import type { Context } from "../../api/context.ts";
import { cookieIn } from "../../http/session-cookie.ts";
import { Devices } from "../../limits/devices.ts";
import { signInSecret } from "../identity/secret.ts";

const rememberUseAfterMs = 60_000;

/** Sessions are stored by the hash of their token. */
export function hashPortalToken(token: string): string {
  return hash("sha256", token, "base64url");
}

/** The customer whose session the request has; null if there is none. A dashboard session is not one. */
export async function customerOf(
  request: Request,
  portalUrl: string,
  store: Store,
  nowMs: number,
): Promise<CustomerActor | null> {
  const token = portalCookieIn(request.headers, portalUrl, "countersign_portal");
  if (token === null || !isPortalToken(token)) return null;
  const session = await portalSessionByHash(store.reads, hashPortalToken(token));
  if (session === undefined || session.expires_at <= nowMs) return null;
  const identities = await portalIdentitiesOf(store.reads, session.person_id);
  if (identities.length === 0) return null;
  if (session.last_used_at < nowMs - rememberUseAfterMs)
    await store.transaction((db) => touchPortalSession(db, session.id, nowMs), "soon");
  const valuesOf = (kind: "email" | "discord") =>
    identities.filter((identity) => identity.kind === kind).map(({ value }) => value);
  return {
    kind: "customer",
    personId: session.person_id,
    sessionId: session.id,
    emails: valuesOf("email"),
    discordIds: valuesOf("discord"),
  };
}

export function newPortalToken(): string {
  return randomBytes(32).toString("base64url");
}

/** Whether it has the form of such a token. */
export function isPortalToken(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

/** The portal's cookies: the session, the browser that requested a code, and the way to Discord and back. */
type PortalCookie = "countersign_portal" | "countersign_portal_challenge" | "countersign_portal_discord";

/** With https, the browser binds them to this host. */
function portalCookieName(portalUrl: string, name: PortalCookie = "countersign_portal"): string {
  return isHttps(portalUrl) ? `__Host-${name}` : name;
}

/** The `Set-Cookie` header. The value contains only characters that cookies allow. */
export function portalCookie(
  portalUrl: string,
  name: PortalCookie,
  value: string,
  maxAgeSeconds: number,
): string {
  const secure = isHttps(portalUrl) ? "; Secure" : "";
  return `${portalCookieName(portalUrl, name)}=${value}; Max-Age=${maxAgeSeconds}; Path=/; HttpOnly${secure}; SameSite=Lax`;
}

export function removedPortalCookie(portalUrl: string, name: PortalCookie): string {
  return portalCookie(portalUrl, name, "", 0);
}

export function portalCookieIn(headers: Headers, portalUrl: string, name: PortalCookie): string | null {
  return cookieIn(headers, portalCookieName(portalUrl, name));
}

function isHttps(url: string): boolean {
  return new URL(url).protocol === "https:";
}

const sessionSeconds = 30 * 86_400;
const maxUserAgentLength = 512;

/** A new session, with the token for its cookie. */
export interface OpenedSession {
  readonly token: string;
  readonly session: PortalSessionRow;
}

/**
 * Opens a session for the person who has proven this. Its token is always new: one that was in the browser before, no matter who put
 * it there, opens nothing afterwards.
 */
export async function openPortalSession(
  db: Database,
  context: Context,
  proven: ProvenIdentity,
): Promise<OpenedSession> {
  const { nowMs, ip, actor, request } = context;
  const personId = await personWith(db, proven, newId, nowMs);
  if (actor?.kind === "customer") await endPortalSession(db, actor.personId, actor.sessionId);
  const token = newPortalToken();
  const session: PortalSessionRow = {
    id: newId(),
    person_id: personId,
    token_hash: hashPortalToken(token),
    signed_in_by: proven.kind,
    ip,
    user_agent: request.headers.get("user-agent")?.slice(0, maxUserAgentLength) ?? null,
    created_at: nowMs,
    last_used_at: nowMs,
    expires_at: nowMs + sessionSeconds * 1_000,
  };
  await addPortalSession(db, session);
  await limitPortalSessions(db, personId);
  return { token, session };
}

/** The cookies for the browser: its session, and the mark that this person has signed in there. */
export async function sessionCookies(
  { store, config: { portalUrl }, request, nowMs }: Context,
  { token, session }: OpenedSession,
): Promise<string[]> {
  const devices = await portalDevices(store, portalUrl);
  return [
    portalCookie(portalUrl, "countersign_portal", token, sessionSeconds),
    devices.cookieFor(session.person_id, devices.claimedBy(request.headers), nowMs),
    removedPortalCookie(portalUrl, "countersign_portal_challenge"),
  ];
}

/** The browsers in which customers have signed in before. */
export async function portalDevices(store: Context["store"], portalUrl: string): Promise<Devices> {
  return new Devices(portalUrl, await signInSecret(store), "portal_device");
}

/** A response of the API that also sets cookies. */
export function withCookies(
  status: 200 | 202 | 204,
  body: object | null,
  cookies: readonly string[],
): Response {
  const headers = new Headers({ "cache-control": "no-store" });
  if (body !== null) headers.set("content-type", "application/json; charset=utf-8");
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new Response(body === null ? null : JSON.stringify(body), { status, headers });
}
