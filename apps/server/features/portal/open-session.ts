import { newId } from "@countersign/store/new-id";
import { type ProvenIdentity, personWith } from "@countersign/store/queries/portal/people";
import {
  addPortalSession,
  endPortalSession,
  limitPortalSessions,
} from "@countersign/store/queries/portal/sessions";
import type { Database } from "@countersign/store/store";
import type { PortalSessionRow } from "@countersign/store/tables/portal";
import type { Context } from "../../api/context.ts";
import { Devices } from "../../limits/devices.ts";
import { signInSecret } from "../identity/secret.ts";
import { portalCookie, removedPortalCookie } from "./cookies.ts";
import { hashPortalToken, newPortalToken } from "./session.ts";

const sessionSeconds = 30 * 86_400;
const longestUserAgent = 512;

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
    user_agent: request.headers.get("user-agent")?.slice(0, longestUserAgent) ?? null,
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
