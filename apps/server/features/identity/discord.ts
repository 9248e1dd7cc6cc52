import type { Store } from "@countersign/store/store";
import { APIError } from "better-auth/api";
import { genericOAuth } from "better-auth/plugins";
import type { DiscordSettings } from "../../base/config.ts";
import { authorizeUrl, discordAccessToken, discordName, discordProfile, tokenUrl } from "./discord-calls.ts";
import { isFirstReturn } from "./discord-flow.ts";
import { callbackPath, discordProvider } from "./discord-provider.ts";
import type { HookContext } from "./hook-context.ts";

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

/** Before the sign-in library handles a return: it finds a state and then deletes it, which two returns can do at once. */
export async function beforeReturn(context: HookContext, store: Store, signInPage: string): Promise<void> {
  if (context.path !== callbackPath) return;
  const state = String(context.query?.state);
  const { createAuthCookie, secret } = context.context;
  // The library refuses any other.
  if ((await context.getSignedCookie(createAuthCookie("state").name, secret)) !== state) return;
  if (await isFirstReturn(store, state, await store.clock())) return;
  throw new APIError("FOUND", undefined, { location: `${signInPage}?error=state_mismatch` });
}
