import { genericOAuth } from "better-auth/plugins";
import type { DiscordSettings } from "../../config.ts";
import { authorizeUrl, discordAccessToken, discordName, discordProfile, tokenUrl } from "./discord-calls.ts";
import { discordProvider } from "./discord-provider.ts";

/**
 * Replaces an email address that Discord has not verified: it belongs to nobody, and nobody can sign up with it.
 */
export const unverifiedDomain = "unverified.invalid";

/**
 * Discord as a generic provider. A person is identified by their Discord ID; the email address is used only if Discord
 * verified it, only for a new account, and is never linked to an existing one.
 */
export function discord(settings: DiscordSettings, redirectURI: string) {
  const { clientId, clientSecret } = settings;
  return genericOAuth({
    config: [
      {
        providerId: discordProvider,
        clientId,
        clientSecret,
        authorizationUrl: authorizeUrl(settings),
        tokenUrl: tokenUrl(settings),
        redirectURI,
        scopes: ["identify", "email"],
        pkce: true,
        getToken: async ({ code, codeVerifier }) => ({
          accessToken: await discordAccessToken(settings, { code, codeVerifier, redirectURI }),
        }),
        getUserInfo: async ({ accessToken }) => {
          const person = await discordProfile(settings, accessToken ?? "");
          const email = person.verified === true ? person.email : null;
          return {
            id: person.id,
            name: discordName(person),
            email: email ?? `${person.id}@${unverifiedDomain}`,
            emailVerified: email !== null && email !== undefined,
          };
        },
      },
    ],
  });
}
