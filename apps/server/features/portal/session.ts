import { hash, randomBytes } from "node:crypto";
import {
  portalIdentitiesOf,
  portalSessionByHash,
  touchPortalSession,
} from "@countersign/store/queries/portal/sessions";
import type { Store } from "@countersign/store/store";
import type { CustomerActor } from "../../api/actor.ts";
import { portalCookieIn } from "./cookies.ts";

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
