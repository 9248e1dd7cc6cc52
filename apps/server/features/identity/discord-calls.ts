import { oneLine } from "@countersign/domain/text/plain-line";
import { z } from "zod";
import type { DiscordSettings } from "../../base/config.ts";

const answerTimeoutMs = 5_000;

const tokens = z.object({ access_token: z.string().min(1) });

const profile = z.object({
  id: z.string().regex(/^\d{1,20}$/),
  username: z.string(),
  global_name: z.string().nullish(),
  email: z.string().nullish(),
  verified: z.boolean().nullish(),
});

export type DiscordProfile = z.output<typeof profile>;

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
  return tokens.parse(await asked(tokenUrl(settings), { method: "POST", body: form })).access_token;
}

export async function discordProfile({ url }: DiscordSettings, accessToken: string): Promise<DiscordProfile> {
  const headers = { authorization: `Bearer ${accessToken}` };
  return profile.parse(await asked(`${url}/api/users/@me`, { headers }));
}

export function discordName({ global_name: shown, username }: DiscordProfile): string {
  return (oneLine(shown ?? "") || oneLine(username)).slice(0, 100);
}

async function asked(requestUrl: string, request: RequestInit): Promise<unknown> {
  const response = await fetch(requestUrl, {
    ...request,
    redirect: "error",
    signal: AbortSignal.timeout(answerTimeoutMs),
  });
  if (!response.ok) throw new Error(`Discord answered ${response.status}.`);
  return response.json();
}
