import { hash } from "node:crypto";
import { oneLine } from "@countersign/domain/text/plain-line";
import { takeAttempt } from "@countersign/store/queries/identity/attempts";
import type { Store } from "@countersign/store/store";
import { z } from "zod";
import type { DiscordSettings } from "../../base/services.ts";

const responseTimeoutMs = 5_000;

const tokens = z.object({ access_token: z.string().min(1) });

const profile = z.object({
  id: z.string().regex(/^\d{1,20}$/),
  username: z.string(),
  global_name: z.string().nullish(),
  email: z.string().nullish(),
  verified: z.boolean().nullish(),
});

type DiscordProfile = z.output<typeof profile>;

/** The page on which people let this server know who they are. */
export function authorizeUrl({ url }: DiscordSettings): string {
  return `${url}/oauth2/authorize`;
}

export function tokenUrl({ url }: DiscordSettings): string {
  return `${url}/api/oauth2/token`;
}

/** Exchanges the code with which Discord sent someone back. */
export async function discordAccessToken(
  settings: DiscordSettings,
  given: { readonly code: string; readonly codeVerifier: string | undefined; readonly redirectURI: string },
): Promise<string> {
  const form = new URLSearchParams({
    grant_type: "authorization_code",
    code: given.code,
    redirect_uri: given.redirectURI,
    client_id: settings.clientId,
    client_secret: settings.clientSecret,
    ...(given.codeVerifier === undefined ? {} : { code_verifier: given.codeVerifier }),
  });
  return tokens.parse(await responseOf(tokenUrl(settings), { method: "POST", body: form })).access_token;
}

export async function discordProfile({ url }: DiscordSettings, accessToken: string): Promise<DiscordProfile> {
  const headers = { authorization: `Bearer ${accessToken}` };
  return profile.parse(await responseOf(`${url}/api/users/@me`, { headers }));
}

export function discordName({ global_name: shown, username }: DiscordProfile): string {
  return (oneLine(shown ?? "") || oneLine(username)).slice(0, 100);
}

async function responseOf(requestUrl: string, request: RequestInit): Promise<unknown> {
  const response = await fetch(requestUrl, {
    ...request,
    redirect: "error",
    signal: AbortSignal.timeout(responseTimeoutMs),
  });
  if (!response.ok) throw new Error(`Discord answered ${response.status}.`);
  return response.json();
}

/** Longer than a flow lasts, in the dashboard and in the portal. */
const rememberedMs = 15 * 60_000;

/**
 * Whether this is the first return from Discord with this state. The state is a secret that only the browser that started
 * knows, and a copy of its cookie must not sign in once more. One statement, so exactly one of several returns is first, on
 * any number of nodes. Called once the state is that of the browser: otherwise anyone could use it up, and write rows.
 */
export async function isFirstReturn(store: Store, state: string, nowMs: number): Promise<boolean> {
  const name = `discord_state:${hash("sha256", state, "base64url")}`;
  const once = { burst: 1, everyMs: rememberedMs };
  return (await store.transaction((db) => takeAttempt(db, name, once, nowMs))).taken;
}

/** The provider name of Discord accounts. In a separate file, so that nobody loads the library for a constant. */
export const discordProvider = "discord";
/** The return path from Discord, as the library names it. */
export const callbackPath = "/callback/:id";

export const totpPath = "/two-factor/verify-totp";

export const recoveryPath = "/two-factor/verify-backup-code";

export const addPasskeyPath = "/passkey/verify-registration";
