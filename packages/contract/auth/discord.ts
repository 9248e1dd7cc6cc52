import { z } from "zod";
import { authRoute } from "./route.ts";
import { done, proofAgain, target } from "./shapes.ts";

const group = "Signing in with Discord";

const leads = z.object({
  url: z.url().meta({ description: "The page at Discord to go to; the header Location says the same." }),
  redirect: z.literal(true),
});
const provider = z.literal("discord");
const state = "What shows, on the way back, that this browser asked.";
const errorCallbackURL = target
  .optional()
  .meta({ description: "Where to go when it fails, with `error` in the query. `/sign-in` by default." });

export const signInWithDiscord = authRoute({
  id: "signInWithDiscord",
  method: "POST",
  path: "/sign-in/social",
  summary: "Begin to sign in with Discord",
  description:
    "People are known by their Discord id alone. An account that exists is never joined by its address: link it while signed in. 404 where Discord is not set up on the server.",
  group,
  needs: "nobody",
  problems: ["discord_not_configured"],
  body: z.strictObject({
    provider,
    callbackURL: target.optional(),
    errorCallbackURL,
    newUserCallbackURL: target
      .optional()
      .meta({ description: "Where to go instead, when an account was made." }),
  }),
  answer: leads,
  cookies: state,
});

export const linkDiscord = authRoute({
  id: "linkDiscord",
  method: "POST",
  path: "/link-social",
  summary: "Begin to link your account at Discord",
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
  summary: "Come back from Discord",
  description:
    "Discord sends the browser here. Opened without having begun in the same browser, it opens nothing.",
  group,
  needs: "nobody",
  query: z.object({
    code: z.string().max(2_000).optional().meta({ description: "What Discord gave." }),
    state: z.string().max(2_000).optional().meta({ description: "What Discord was given." }),
    error: z.string().max(2_000).optional().meta({ description: "What went wrong at Discord." }),
    error_description: z.string().max(2_000).optional().meta({ description: "The same in words." }),
  }),
  redirect:
    "To the page that was asked for; to `/sign-in/second-factor` when that is missing, with the page in `next`; or, when it failed, to the page for that, with `error` in the query.",
  cookies: "The session, for 14 days, where one was opened.",
});

export const unlinkAccount = authRoute({
  id: "unlinkAccount",
  method: "POST",
  path: "/unlink-account",
  summary: "Unlink your account at Discord",
  description: "The last way to sign in stays.",
  group,
  needs: "session",
  problems: ["sign_in_method_not_found", "last_sign_in_method"],
  body: z.strictObject({
    accountId: z.string().meta({ description: "The `account_id` that reading your account shows." }),
  }),
  answer: done,
});
