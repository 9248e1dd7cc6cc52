import { createHash } from "node:crypto";
import { portalBase } from "@countersign/contract/api/bases";
import type { ProvenIdentity } from "@countersign/store/queries/portal/people";
import { z } from "zod";
import type { Context } from "../../api/context.ts";
import type { Config } from "../../base/config.ts";
import { reasonOf } from "../../base/log.ts";
import type { DiscordSettings } from "../../base/services.ts";
import { Problem } from "../../http/problem.ts";
import { authorizeUrl, discordAccessToken, discordName, discordProfile } from "../identity/discord.ts";
import { isSame, portalSecrets } from "./secrets.ts";
import { newPortalToken, portalCookie, portalCookieIn, removedPortalCookie } from "./session.ts";

const goodForSeconds = 600;
const purpose = "discord";

/** What the browser keeps while its user is on Discord. Signed, so that it is what this server wrote. */
const flow = z.object({
  state: z.string(),
  codeVerifier: z.string(),
  /** The session that the Discord account is added to; null to sign in. */
  sessionId: z.string().nullable(),
  next: z.string().nullable(),
  expiresAtMs: z.number(),
});

export type DiscordFlow = z.output<typeof flow>;

/** The page on Discord to open, and the cookie that proves on return that this browser started there. */
export async function startDiscord(
  context: Context,
  { sessionId, next }: Pick<DiscordFlow, "sessionId" | "next">,
): Promise<{ url: string; cookie: string }> {
  const { config, store, nowMs } = context;
  const settings = requireDiscord(config);
  const [state, codeVerifier] = [newPortalToken(), newPortalToken()];
  const expiresAtMs = nowMs + goodForSeconds * 1_000;
  const text = JSON.stringify({ state, codeVerifier, sessionId, next, expiresAtMs } satisfies DiscordFlow);
  const signed = (await portalSecrets(store)).signed(purpose, text);
  const url = new URL(authorizeUrl(settings));
  url.search = new URLSearchParams({
    response_type: "code",
    client_id: settings.clientId,
    redirect_uri: redirectUri(config),
    scope: "identify",
    state,
    code_challenge: createHash("sha256").update(codeVerifier).digest("base64url"),
    code_challenge_method: "S256",
  }).toString();
  const cookie = portalCookie(config.portalUrl, "countersign_portal_discord", signed, goodForSeconds);
  return { url: url.href, cookie };
}

/** The flow of this browser; null if it started none, or took too long. */
export async function flowOf({ config, store, request, nowMs }: Context): Promise<DiscordFlow | null> {
  const signed = portalCookieIn(request.headers, config.portalUrl, "countersign_portal_discord");
  if (signed === null) return null;
  const text = (await portalSecrets(store)).opened(purpose, signed);
  if (text === null) return null;
  const stored = flow.parse(JSON.parse(text));
  return stored.expiresAtMs > nowMs ? stored : null;
}

export function isStateOf({ state }: DiscordFlow, given: string | undefined): boolean {
  return isSame(state, given ?? "");
}

/**
 * Who Discord says it was; null if Discord cannot be asked, or does not accept the code. Only the Discord ID counts:
 * an email address there proves nothing here.
 */
export async function provenByDiscord(
  { config, log, requestId }: Context,
  code: string,
  { codeVerifier }: DiscordFlow,
): Promise<ProvenIdentity | null> {
  const settings = requireDiscord(config);
  try {
    const redirectURI = redirectUri(config);
    const accessToken = await discordAccessToken(settings, { code, codeVerifier, redirectURI });
    const profile = await discordProfile(settings, accessToken);
    return { kind: "discord", value: profile.id, name: discordName(profile) };
  } catch (error) {
    log.warn("Discord did not confirm a sign-in to the portal.", { requestId, reason: reasonOf(error) });
    return null;
  }
}

/** Why someone is back without being signed in, in the query of the page that they see. */
type DiscordFailure = "denied" | "expired" | "failed" | "too_many_identities" | "not_configured";

/** Back to a page of the portal. The flow is over in any case. */
export function backToPortal(
  { portalUrl }: Config,
  page: string,
  failure: DiscordFailure | null,
  cookies: readonly string[] = [],
): Response {
  const location = failure === null ? `${portalUrl}${page}` : `${portalUrl}${page}?error=discord_${failure}`;
  const headers = new Headers({ location, "cache-control": "no-store" });
  for (const cookie of [...cookies, removedPortalCookie(portalUrl, "countersign_portal_discord")])
    headers.append("set-cookie", cookie);
  return new Response(null, { status: 302, headers });
}

function requireDiscord({ discord }: Config): DiscordSettings {
  if (discord === null) throw new Problem("discord_not_configured");
  return discord;
}

function redirectUri({ url, portalUrl, portalHasOwnHost }: Config): string {
  return `${portalHasOwnHost ? portalUrl : url}${portalBase}/sign-in/discord/callback`;
}
