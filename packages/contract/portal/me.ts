import { languages } from "@countersign/domain/mail/languages";
import { z } from "zod";
import { smallBody } from "../api/body-limit.ts";
import { customer, route } from "../api/route.ts";
import { email, id, time } from "../api/shapes.ts";

const group = "Customer portal: account";

const identity = z
  .object({
    id,
    kind: z.enum(["email", "discord"]),
    value: z.string().meta({ description: "The email address or the Discord ID." }),
    name: z.string().nullable().meta({ description: "The display name on Discord." }),
    verified_at: time,
  })
  .meta({ id: "PortalIdentity" });

/** A code from an email, also with spaces in between. */
export const code = z
  .string()
  .trim()
  .transform((text) => text.replace(/[\s-]/g, ""))
  .pipe(z.string().regex(/^\d{6}$/))
  .meta({ description: "The six digits from the email." });

/** The signed-in customer. */
export const me = z
  .object({
    identities: z.array(identity).meta({
      description: "What you have proven to own. Your licenses are those of any of them.",
    }),
    signed_in_by: z.enum(["email", "discord"]),
    locale: z.enum(languages).nullable().meta({ description: "Null for the browser's language." }),
    session_expires_at: time,
  })
  .meta({ id: "PortalMe" });

export const getPortalMe = route({
  id: "getPortalMe",
  method: "GET",
  path: "/me",
  summary: "Get the signed-in customer",
  group,
  access: customer,
  answer: me,
});

export const updatePortalMe = route({
  id: "updatePortalMe",
  method: "PATCH",
  path: "/me",
  summary: "Change your language",
  group,
  access: customer,
  bodyLimit: smallBody,
  body: z.strictObject({ locale: z.enum(languages).nullable().optional() }),
  answer: me,
});

export const deletePortalMe = route({
  id: "deletePortalMe",
  method: "DELETE",
  path: "/me",
  summary: "Delete your portal account",
  description:
    "Ends every session, cancels your pending transfers, and removes what you linked. Your licenses and what sellers recorded about you are not affected.",
  group,
  access: customer,
});

const portalSession = z
  .object({
    id,
    created_at: time,
    last_used_at: time,
    expires_at: time,
    ip: z.string().nullable(),
    browser: z.string().nullable().meta({ description: "The browser and system, such as Firefox on Linux." }),
    is_current: z.boolean(),
  })
  .meta({ id: "PortalSession" });

export const listPortalSessions = route({
  id: "listPortalSessions",
  method: "GET",
  path: "/me/sessions",
  summary: "List your sessions, newest first",
  group,
  access: customer,
  answer: z.object({ data: z.array(portalSession).max(100) }),
});

export const endPortalSession = route({
  id: "endPortalSession",
  method: "DELETE",
  path: "/me/sessions/{session_id}",
  summary: "End one of your sessions",
  group,
  access: customer,
});

export const addPortalEmail = route({
  id: "addPortalEmail",
  method: "POST",
  path: "/me/emails",
  summary: "Request a code to add an email address",
  description: "Sends a code to the email address. Its licenses appear once you enter the code.",
  group,
  access: customer,
  bodyLimit: smallBody,
  body: z.strictObject({ email }),
  answer: z.object({ expires_in_seconds: z.int() }),
  status: 202,
  problems: ["identity_limit_reached", "too_many_attempts"],
});

export const verifyPortalEmail = route({
  id: "verifyPortalEmail",
  method: "POST",
  path: "/me/emails/verify",
  summary: "Add an email address with its code",
  description:
    "If another portal account has the email address, it moves to yours: you have proven that it is yours.",
  group,
  access: customer,
  bodyLimit: smallBody,
  body: z.strictObject({ email, code }),
  answer: me,
  status: 200,
  problems: ["identity_limit_reached", "wrong_sign_in_code"],
});

export const addPortalDiscord = route({
  id: "addPortalDiscord",
  method: "POST",
  path: "/me/discord",
  summary: "Start adding your Discord account",
  group,
  access: customer,
  answer: z.object({ url: z.string().meta({ description: "The page on Discord to open." }) }),
  status: 200,
  problems: ["identity_limit_reached", "discord_not_configured"],
});

export const removePortalIdentity = route({
  id: "removePortalIdentity",
  method: "DELETE",
  path: "/me/identities/{identity_id}",
  summary: "Remove an email address or Discord account",
  description: "The last one cannot be removed. Its licenses are no longer shown to you.",
  group,
  access: customer,
  answer: me,
  status: 200,
  problems: ["last_sign_in_method"],
});
