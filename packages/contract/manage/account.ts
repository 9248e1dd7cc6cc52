import { z } from "zod";
import { smallBody } from "../api/body-limit.ts";
import { anyone, person, route } from "../api/route.ts";
import { email, id, locale, name, page, pageQuery, time } from "../api/shapes.ts";
import { confirmation } from "../auth/shapes.ts";

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
            account_id: id.meta({ description: "The ID to unlink it with." }),
            discord_id: z.string(),
          })
          .nullable(),
        passkeys: z.array(z.object({ id, name: z.string().nullable(), created_at: time.nullable() })),
      })
      .meta({ description: "The ways this user can sign in." }),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: "Me" });

export const session = z
  .object({
    id,
    is_current: z.boolean().meta({ description: "Whether this is the current session." }),
    ip: z.string().nullable(),
    user_agent: z.string().nullable(),
    created_at: time,
    last_used_at: time.meta({ description: "Accurate to the day." }),
    expires_at: time,
  })
  .meta({ id: "Session" });

export const getMe = route({
  id: "getMe",
  method: "GET",
  path: "/me",
  summary: "Get your account",
  group,
  access: person("full"),
  problems: ["user_not_found"],
  answer: me,
});

export const updateMe = route({
  id: "updateMe",
  method: "PATCH",
  path: "/me",
  summary: "Update your account",
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
  summary: "List your sessions",
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
  summary: "End your other sessions",
  description: "With an access token, all your sessions end.",
  group,
  access: person("full"),
});

export const changeMyEmail = route({
  id: "changeMyEmail",
  method: "POST",
  path: "/me/email",
  summary: "Change your email address",
  description:
    "Sends an email with a link to the new email address and a notice to the old one. Nothing changes until the link is used. Requires the password or a confirmation; for an account without a password, a session that is no older than ten minutes is enough.",
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
  description:
    "Requires the token from the email, which works once, and a session of the user who requested the change.",
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
  summary: "Get the setup status of the server",
  group,
  access: anyone("anything"),
  problems: ["too_many_attempts"],
  query: z.object({
    token: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .meta({ description: "The token of a setup link, to check it." }),
  }),
  answer: z.object({
    is_open: z.boolean().meta({ description: "True until the first account is created." }),
    is_link_good: z.boolean().nullable().meta({
      description: "Whether the token is valid. Null if none was sent.",
    }),
    sign_up: z.enum(["closed", "open"]).meta({
      description: "Who can create an account: invited users (`closed`), or anyone (`open`).",
    }),
    email: z.boolean().meta({
      description: "Whether this server sends emails. If not, platform admins find them in the outbox.",
    }),
    discord: z.boolean().meta({ description: "Whether sign-in with Discord is set up." }),
    url: z
      .string()
      .meta({ description: "The URL of the dashboard: changes in a browser are accepted only from there." }),
  }),
});

export const runSetup = route({
  id: "runSetup",
  method: "POST",
  path: "/setup",
  summary: "Create the first account",
  description:
    "Requires the token from the setup link that the server prints when it starts, which works once, within 30 minutes. The user becomes a platform admin and is signed in: the response sets the session cookie.",
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
      description: "The language of emails to this user. If omitted, the language that the browser prefers.",
    }),
  }),
  answer: me,
});
