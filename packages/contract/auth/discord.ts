import { z } from "zod";
import { discordReturnQuery } from "../api/shapes.ts";
import { authRoute } from "./route.ts";
import { done, proofAgain, target } from "./shapes.ts";

const group = "Signing in with Discord";

const leads = z.object({
  url: z.url().meta({ description: "The page on Discord to open, which is also in the Location header." }),
  redirect: z.literal(true),
});
const provider = z.literal("discord");
const state = "Sets a cookie that proves on return that this browser made the request.";
const errorCallbackURL = target.optional().meta({
  description: "The page to continue to on failure, with `error` in the query. `/sign-in` by default.",
});

export const signInWithDiscord = authRoute({
  id: "signInWithDiscord",
  method: "POST",
  path: "/sign-in/social",
  summary: "Start signing in with Discord",
  description:
    "Users are identified by their Discord ID only. An existing account is never linked by its email address: link it while signed in. The response is 404 if Discord is not set up on this server.",
  group,
  needs: "nobody",
  problems: ["discord_not_configured"],
  body: z.strictObject({
    provider,
    callbackURL: target.optional(),
    errorCallbackURL,
    newUserCallbackURL: target
      .optional()
      .meta({ description: "The page to continue to instead if an account was created." }),
  }),
  answer: leads,
  cookies: state,
});

export const linkDiscord = authRoute({
  id: "linkDiscord",
  method: "POST",
  path: "/link-social",
  summary: "Start linking your Discord account",
  group,
  needs: "session",
  problems: [
    "wrong_password",
    "invalid_confirmation",
    "recent_sign_in_required",
    "sign_in_busy",
    "discord_not_configured",
  ],
  body: z.strictObject({
    provider,
    callbackURL: target.optional(),
    errorCallbackURL,
    ...proofAgain,
  }),
  answer: leads,
  cookies: state,
});

export const returnFromDiscord = authRoute({
  id: "returnFromDiscord",
  method: "GET",
  path: "/callback/discord",
  summary: "Return from Discord",
  description:
    "Discord redirects the browser to this URL. It works only in the browser that started the sign-in.",
  group,
  needs: "nobody",
  query: discordReturnQuery,
  redirect:
    "Redirects to the requested page; to `/sign-in/second-factor`, with the page in `next`, if a second factor is required; or, on failure, to the page for errors, with `error` in the query.",
  cookies: "Sets the session cookie, valid for 14 days, if a session starts.",
});

export const unlinkAccount = authRoute({
  id: "unlinkAccount",
  method: "POST",
  path: "/unlink-account",
  summary: "Unlink your Discord account",
  description: "Your only way to sign in cannot be removed.",
  group,
  needs: "session",
  problems: ["sign_in_method_not_found", "last_sign_in_method"],
  body: z.strictObject({
    accountId: z.string().meta({ description: "The `account_id` from your account's `sign_in_methods`." }),
  }),
  answer: done,
});
