import { z } from "zod";
import { platformAdmin, route } from "../api/route.ts";
import { secret } from "../api/secrets.ts";
import {
  email,
  flagQuery,
  id,
  inSteps,
  locale,
  name,
  page,
  pageQuery,
  time,
  updatedAtGuard,
} from "../api/shapes.ts";
import { atOnce, q, reason } from "./admin.ts";

const group = "Platform";
const access = platformAdmin;

const user = z
  .object({
    id,
    name: z.string(),
    email: z.string(),
    email_verified: z.boolean(),
    two_factor_enabled: z.boolean(),
    is_platform_admin: z.boolean(),
    organization_allowance: z
      .int()
      .nullable()
      .meta({ description: "The number of organizations the user can own. Null for the default." }),
    suspended_at: time.nullable(),
    suspension_reason: z.string().nullable(),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: "PlatformUser" });

const userDetails = user
  .extend({
    organizations: z
      .array(z.object({ id, name: z.string(), slug: z.string(), is_owner: z.boolean() }))
      .meta({ description: "The first 200 organizations the user belongs to." }),
  })
  .meta({ id: "PlatformUserDetails" });

export const listUsers = route({
  id: "listUsers",
  method: "GET",
  path: "/admin/users",
  summary: "List and search all users",
  description: `Newest first. \`q\` searches the name and the email address; email addresses that start with it come first. ${inSteps}`,
  group,
  access,
  query: pageQuery.extend({
    q,
    platform_admin: flagQuery.optional(),
    suspended: flagQuery.optional(),
  }),
  answer: page(user),
});

const passwordLink = z.object({
  password_link: secret(
    "The link with which the user chooses a password, to be passed on to them. Null if this server sends emails: then only the email contains the link.",
    "Create another password link.",
  ).nullable(),
  password_link_expires_at: time,
});

const addedUser = userDetails.extend(passwordLink.shape).meta({ id: "AddedPlatformUser" });

export const createUser = route({
  id: "createUser",
  method: "POST",
  path: "/admin/users",
  summary: "Create a user",
  description:
    "Creates an account without a password, even if sign-up is closed. The user chooses a password with a link that works once, within seven days. The link is sent by email; if this server sends no emails, it is in the response.",
  group,
  access,
  problems: ["email_taken"],
  body: z.strictObject({
    email,
    name: name.optional().meta({ description: "If omitted, the part of the email address before the @." }),
    locale: locale.optional(),
  }),
  answer: addedUser,
});

export const createPasswordLink = route({
  id: "createPasswordLink",
  method: "POST",
  path: "/admin/users/{user_id}/password-link",
  summary: "Create a password link for a user",
  description:
    "For a user who cannot sign in. The link works once, and earlier links stop working. It is sent by email and works for an hour; if this server sends no emails, it is in the response and works for 24 hours. The second factor stays on.",
  group,
  access,
  problems: ["user_not_found", "user_suspended"],
  answer: passwordLink.meta({ id: "PasswordLink" }),
});

export const getUser = route({
  id: "getUser",
  method: "GET",
  path: "/admin/users/{user_id}",
  summary: "Get a user",
  group,
  access,
  problems: ["user_not_found"],
  answer: userDetails,
});

export const updateUser = route({
  id: "updateUser",
  method: "PATCH",
  path: "/admin/users/{user_id}",
  summary: "Update a user's organization limit and platform admin rights",
  description: `There is always at least one platform admin. ${atOnce}`,
  group,
  access,
  problems: ["user_not_found", "last_platform_admin"],
  body: z.strictObject({
    organization_allowance: z.int().min(0).max(1_000_000).nullable().optional(),
    is_platform_admin: z.boolean().optional(),
    ...updatedAtGuard,
  }),
  answer: userDetails,
});

export const suspendUser = route({
  id: "suspendUser",
  method: "POST",
  path: "/admin/users/{user_id}/suspend",
  summary: "Suspend a user",
  description: `The user's sessions and access tokens stop working. Their organizations are not affected. ${atOnce}`,
  group,
  access,
  problems: ["user_not_found", "cannot_suspend_yourself", "last_platform_admin"],
  body: z.strictObject({ reason }),
  answer: userDetails,
  status: 200,
});

export const restoreUser = route({
  id: "restoreUser",
  method: "POST",
  path: "/admin/users/{user_id}/restore",
  summary: "Lift a user's suspension",
  description: "Sessions and access tokens that have not expired work again.",
  group,
  access,
  problems: ["user_not_found"],
  answer: userDetails,
  status: 200,
});
