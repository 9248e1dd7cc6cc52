import { z } from "zod";
import { confirmation } from "../auth/shapes.ts";
import { smallBody } from "../body-limit.ts";
import { anyone, person, route } from "./route.ts";
import { email, id, locale, name, page, pageQuery, time } from "./shapes.ts";

const group = "Your account";

export const me = z
  .object({
    id,
    name: z.string(),
    email: z.string(),
    email_verified: z.boolean(),
    locale,
    two_factor_enabled: z.boolean(),
    is_platform_admin: z.boolean(),
    sign_in_methods: z
      .object({
        password: z.boolean(),
        discord: z
          .object({
            account_id: id.meta({ description: "What to unlink it by." }),
            discord_id: z.string(),
          })
          .nullable(),
        passkeys: z.array(z.object({ id, name: z.string().nullable(), created_at: time.nullable() })),
      })
      .meta({ description: "How this person can sign in." }),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: "Me" });

export const session = z
  .object({
    id,
    is_current: z.boolean().meta({ description: "Whether this is the session that asks." }),
    ip: z.string().nullable(),
    user_agent: z.string().nullable(),
    created_at: time,
    last_used_at: time.meta({ description: "To the day." }),
    expires_at: time,
  })
  .meta({ id: "Session" });

export const getMe = route({
  id: "getMe",
  method: "GET",
  path: "/me",
  summary: "Read your account",
  group,
  access: person("full"),
  problems: ["user_not_found"],
  answer: me,
});

export const updateMe = route({
  id: "updateMe",
  method: "PATCH",
  path: "/me",
  summary: "Change your name, or the language of your emails",
  group,
  access: person("full"),
  problems: ["user_not_found"],
  body: z.strictObject({ name: name.optional(), locale: locale.optional() }),
  answer: me,
});

export const listMySessions = route({
  id: "listMySessions",
  method: "GET",
  path: "/me/sessions",
  summary: "List where you are signed in",
  group,
  access: person("full"),
  query: pageQuery,
  answer: page(session),
});

export const endMySession = route({
  id: "endMySession",
  method: "DELETE",
  path: "/me/sessions/{session_id}",
  summary: "End one of your sessions",
  group,
  access: person("full"),
  problems: ["session_not_found"],
});

export const endMyOtherSessions = route({
  id: "endMyOtherSessions",
  method: "DELETE",
  path: "/me/sessions",
  summary: "End all your sessions but this one",
  description: "With an access token there is no session to keep, and all of them end.",
  group,
  access: person("full"),
});

export const changeMyEmail = route({
  id: "changeMyEmail",
  method: "POST",
  path: "/me/email",
  summary: "Change your email address",
  description:
    "The new address gets an email with a link, and the old one is told. Nothing changes until the link is used. Needs a session, and the password or a confirmation; for an account without a password, a session that is no older than ten minutes is enough.",
  group,
  access: person("never"),
  problems: [
    "wrong_password",
    "invalid_confirmation",
    "recent_sign_in_required",
    "too_many_attempts",
    "sign_in_busy",
  ],
  body: z.strictObject({ new_email: email, password: z.string().max(1_024).optional(), confirmation }),
  answer: z.object({ new_email: z.string() }),
  status: 202,
});

export const confirmMyEmail = route({
  id: "confirmMyEmail",
  method: "POST",
  path: "/me/email/confirm",
  summary: "Confirm your new email address",
  description: "With the token from the email, once, by whoever asked for the change and is still signed in.",
  group,
  access: person("never"),
  problems: ["email_taken", "too_many_attempts"],
  body: z.strictObject({ token: z.string().min(1).max(200) }),
  answer: me,
  status: 200,
});

export const getSetup = route({
  id: "getSetup",
  method: "GET",
  path: "/setup",
  summary: "Whether the first account is still to be made",
  group,
  access: anyone("anything"),
  problems: ["too_many_attempts"],
  query: z.object({
    token: z.string().min(1).max(200).optional().meta({ description: "That of a set-up link, to check it." }),
  }),
  answer: z.object({
    is_open: z.boolean().meta({ description: "True until somebody has an account." }),
    is_link_good: z.boolean().nullable().meta({
      description: "Whether the first account can be made with the token that was given. Null without one.",
    }),
    sign_up: z.enum(["closed", "open"]).meta({
      description: "Who can create an account: people who are invited (closed), or anyone (open).",
    }),
    email: z.boolean().meta({
      description:
        "Whether this server sends emails. If not, the platform admin reads them in the outbox and hands links over.",
    }),
    discord: z.boolean().meta({ description: "Whether one can sign in with Discord." }),
  }),
});

export const runSetup = route({
  id: "runSetup",
  method: "POST",
  path: "/setup",
  summary: "Make the first account",
  description:
    "With the token of the link that the server printed when it started, within 30 minutes, once. The person becomes the platform admin and is signed in: the answer sets the session cookie.",
  group,
  access: anyone("token"),
  problems: ["invalid_setup_link", "too_many_attempts", "sign_in_busy"],
  bodyLimit: smallBody,
  body: z.strictObject({
    token: z.string().min(1).max(200),
    name,
    email,
    password: z.string(),
    locale: locale.optional().meta({
      description: "The language of emails to this person; what the browser asks for when it is left out.",
    }),
  }),
  answer: me,
});
