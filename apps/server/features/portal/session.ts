import { hash } from "node:crypto";
import {
  portalIdentitiesOf,
  portalSessionByHash,
  touchPortalSession,
} from "@countersign/store/queries/portal/sessions";
import type { Store } from "@countersign/store/store";
import type { CustomerActor } from "../../http/manage/actor.ts";
import { cookieIn } from "../identity/session-cookie.ts";

const rememberUseAfterMs = 60_000;

/** The portal's session cookie. With https, the browser binds it to this host. */
export function portalCookieName(portalUrl: string): string {
  const name = "countersign_portal";
  return new URL(portalUrl).protocol === "https:" ? `__Host-${name}` : name;
}

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
  const token = cookieIn(request.headers, portalCookieName(portalUrl));
  if (token === null || !tokenShape.test(token)) return null;
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

/** 32 random bytes in base64url. */
const tokenShape = /^[\w-]{43}$/;
