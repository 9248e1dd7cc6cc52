import { z } from "zod";
import { atOnce, q, reason } from "./admin-shapes.ts";
import { platformAdmin, route } from "./route.ts";
import { secret } from "./secrets.ts";
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
} from "./shapes.ts";

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
      .meta({ description: "How many organizations they may own; null for what the plans say." }),
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
      .meta({ description: "Those they belong to, the first 200." }),
  })
  .meta({ id: "PlatformUserDetails" });

export const listUsers = route({
  id: "listUsers",
  method: "GET",
  path: "/admin/users",
  summary: "List and search all people with an account",
  description: `The newest first. q looks through name and email address; addresses that begin with it come first. ${inSteps}`,
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
    "Where the person chooses their password, once, to be handed over. Null on a server that sends emails: the link is in the email alone.",
    "Create another password link.",
  ).nullable(),
  password_link_expires_at: time,
});

const addedUser = userDetails.extend(passwordLink.shape).meta({ id: "AddedPlatformUser" });

export const createUser = route({
  id: "createUser",
  method: "POST",
  path: "/admin/users",
  summary: "Add a person",
  description:
    "Creates an account without a password, whether or not sign-up is open. The person chooses the password with a link that works once, for seven days. It is emailed; on a server that sends no emails, the answer has it.",
  group,
  access,
  problems: ["email_taken"],
  body: z.strictObject({
    email,
    name: name.optional().meta({ description: "What stands before the @ when it is left out." }),
    locale: locale.optional(),
  }),
  answer: addedUser,
});

export const createPasswordLink = route({
  id: "createPasswordLink",
  method: "POST",
  path: "/admin/users/{user_id}/password-link",
  summary: "Create a link to choose a new password",
  description:
    "For somebody who cannot sign in. It works once, and links before it stop working. It is emailed to them, for an hour; on a server that sends no emails, the answer has it, for 24 hours. A second factor stays.",
  group,
  access,
  problems: ["user_not_found", "user_suspended"],
  answer: passwordLink.meta({ id: "PasswordLink" }),
});

export const getUser = route({
  id: "getUser",
  method: "GET",
  path: "/admin/users/{user_id}",
  summary: "Read a person's account",
  group,
  access,
  problems: ["user_not_found"],
  answer: userDetails,
});

export const updateUser = route({
  id: "updateUser",
  method: "PATCH",
  path: "/admin/users/{user_id}",
  summary: "Set how many organizations somebody may own, and who is a platform admin",
  description: `There is always one platform admin at least. ${atOnce}`,
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
  summary: "Suspend a person's account",
  description: `Their sessions and access tokens stop working. What they own goes on. ${atOnce}`,
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
  summary: "Lift a person's suspension",
  description: "Sessions and access tokens that have not run out meanwhile work again.",
  group,
  access,
  problems: ["user_not_found"],
  answer: userDetails,
  status: 200,
});
