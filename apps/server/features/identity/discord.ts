import { genericOAuth } from "better-auth/plugins";
import { z } from "zod";
import type { DiscordSettings } from "../../config.ts";
import { discordProvider } from "./discord-provider.ts";

/**
 * Replaces an email address that Discord has not verified: it belongs to nobody, and nobody can sign up with it.
 */
export const unverifiedDomain = "unverified.invalid";

const answerTimeoutMs = 5_000;

const tokens = z.object({ access_token: z.string().min(1) });

const profile = z.object({
  id: z.string().regex(/^\d{1,20}$/),
  username: z.string(),
  global_name: z.string().nullish(),
  email: z.string().nullish(),
  verified: z.boolean().nullish(),
});

/**
 * Discord as a generic provider. A person is identified by their Discord ID; the email address is used only if Discord
 * verified it, only for a new account, and is never linked to an existing one.
 */
export function discord(settings: DiscordSettings, redirectURI: string, canSignUp: boolean) {
  const { clientId, clientSecret, url } = settings;
  return genericOAuth({
    config: [
      {
        providerId: discordProvider,
        clientId,
        clientSecret,
        authorizationUrl: `${url}/oauth2/authorize`,
        tokenUrl: `${url}/api/oauth2/token`,
        redirectURI,
        scopes: ["identify", "email"],
        pkce: true,
        disableSignUp: !canSignUp,
        getToken: async ({ code, codeVerifier }) => {
          const form = new URLSearchParams({
            grant_type: "authorization_code",
            code,
            redirect_uri: redirectURI,
            client_id: clientId,
            client_secret: clientSecret,
            ...(codeVerifier === undefined ? {} : { code_verifier: codeVerifier }),
          });
          const answer = await asked(`${url}/api/oauth2/token`, { method: "POST", body: form });
          return { accessToken: tokens.parse(answer).access_token };
        },
        getUserInfo: async ({ accessToken }) => {
          const headers = { authorization: `Bearer ${accessToken}` };
          const person = profile.parse(await asked(`${url}/api/users/@me`, { headers }));
          const email = person.verified === true ? person.email : null;
          return {
            id: person.id,
            name: (person.global_name ?? person.username).slice(0, 100),
            email: email ?? `${person.id}@${unverifiedDomain}`,
            emailVerified: email !== null && email !== undefined,
          };
        },
      },
    ],
  });
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
