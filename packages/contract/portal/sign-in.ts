import { languages } from "@countersign/domain/mail/languages";
import { z } from "zod";
import { smallBody } from "../api/body-limit.ts";
import { anyone, customer, route } from "../api/route.ts";
import { discordReturnQuery, email } from "../api/shapes.ts";
import { code, me } from "./me.ts";
import { seller } from "./shapes.ts";

const group = "Customer portal: sign-in";

/** A page of the portal to continue to, below its base path. */
const next = z
  .string()
  .max(500)
  .regex(/^\/(?![/\\])[^\s\\]*$/)
  .optional()
  .meta({ description: "The page of the portal to continue to, such as /licenses." });

export const getPortalOptions = route({
  id: "getPortalOptions",
  method: "GET",
  path: "/options",
  summary: "Get the ways to sign in",
  group,
  access: anyone("anything"),
  answer: z
    .object({
      discord: z.boolean().meta({ description: "Whether customers can sign in with Discord." }),
      sends_email: z
        .boolean()
        .meta({ description: "If false, the server's administrator finds the codes in the outbox." }),
      url: z
        .string()
        .meta({ description: "The URL of the portal: changes are accepted only from its origin." }),
    })
    .meta({ id: "PortalOptions" }),
});

export const getPortalSeller = route({
  id: "getPortalSeller",
  method: "GET",
  path: "/sellers/{slug}",
  summary: "Get how a seller presents itself",
  description:
    "For the sign-in page. Returns 404 for an unknown seller, and for one that shows no product in the portal. `is_suspended` is always false here: only customers learn about it.",
  group,
  access: anyone("anything"),
  answer: seller,
});

export const getPortalLogo = route({
  id: "getPortalLogo",
  method: "GET",
  path: "/logos/{logo}",
  summary: "Get a seller's logo",
  group,
  access: anyone("anything"),
  answerType: "image/*",
  status: 200,
});

export const requestPortalSignIn = route({
  id: "requestPortalSignIn",
  method: "POST",
  path: "/sign-in",
  summary: "Request a sign-in code by email",
  description:
    "The response is the same whether or not the email address is known, and takes the same time. The code and the link in the email work for ten minutes.",
  group,
  access: anyone("portal_sign_in"),
  bodyLimit: smallBody,
  body: z.strictObject({
    email,
    next,
    language: z.enum(languages).optional().meta({
      description:
        "The language of the email, if it was chosen. Otherwise it is the one that the customer chose before, then the browser's (`Accept-Language`), then the seller's.",
    }),
  }),
  answer: z.object({ expires_in_seconds: z.int() }).meta({ id: "PortalCodeRequested" }),
  status: 202,
});

export const verifyPortalSignIn = route({
  id: "verifyPortalSignIn",
  method: "POST",
  path: "/sign-in/verify",
  summary: "Sign in with a code",
  description: "Sets the portal's session cookie. A code works once and allows five attempts.",
  group,
  access: anyone("portal_code"),
  bodyLimit: smallBody,
  body: z.strictObject({ email, code }),
  answer: me,
  status: 200,
  problems: ["wrong_sign_in_code"],
});

export const signInWithPortalLink = route({
  id: "signInWithPortalLink",
  method: "POST",
  path: "/sign-in/link",
  summary: "Sign in with the link from the email",
  description: "Sets the portal's session cookie. A link works once.",
  group,
  access: anyone("token"),
  bodyLimit: smallBody,
  body: z.strictObject({ token: z.string().min(1).max(200) }),
  answer: me,
  status: 200,
  problems: ["invalid_link"],
});

export const startPortalDiscord = route({
  id: "startPortalDiscord",
  method: "POST",
  path: "/sign-in/discord",
  summary: "Start signing in with Discord",
  description: "Sets a cookie that proves on return that this browser made the request.",
  group,
  access: anyone("anything"),
  bodyLimit: smallBody,
  body: z.strictObject({ next }),
  answer: z
    .object({ url: z.string().meta({ description: "The page on Discord to open." }) })
    .meta({ id: "PortalDiscordStart" }),
  status: 200,
  problems: ["discord_not_configured"],
});

export const returnFromPortalDiscord = route({
  id: "returnFromPortalDiscord",
  method: "GET",
  path: "/sign-in/discord/callback",
  summary: "Return from Discord",
  description:
    "Discord redirects the browser to this URL. It works only in the browser that started, and continues to a page of the portal, on failure with `error` in its query.",
  group,
  access: anyone("token"),
  query: discordReturnQuery,
  status: 302,
});

export const signOutOfPortal = route({
  id: "signOutOfPortal",
  method: "POST",
  path: "/sign-out",
  summary: "Sign out",
  group,
  access: customer,
  bodyLimit: smallBody,
  body: z.strictObject({
    everywhere: z
      .boolean()
      .default(false)
      .meta({ description: "Whether to end the sessions in all other browsers too." }),
  }),
});
