import { permissions } from "@countersign/domain/members/permissions";
import { z } from "zod";
import { member, person, route } from "../api/route.ts";
import { secret } from "../api/secrets.ts";
import { id, name, page, pageQuery, time } from "../api/shapes.ts";
import { confirmation } from "../auth/shapes.ts";

const group = "Access tokens";

export const accessToken = z
  .object({
    id,
    name: z.string(),
    prefix: z.string().meta({ description: "The first characters, to identify it." }),
    permissions: z.array(z.enum(permissions)),
    created_at: time,
    created_by: id.nullable().meta({ description: "The user who created it. Null if an access token did." }),
    expires_at: time.nullable().meta({ description: "Null if it never expires." }),
    last_used_at: time.nullable().meta({ description: "Accurate to the minute." }),
  })
  .meta({ id: "AccessToken" });

const created = accessToken
  .extend({
    token: secret(
      "The whole token. Only this response contains it.",
      "Revoke the access token and create a new one.",
    ),
  })
  .meta({ id: "CreatedAccessToken" });

const newToken = z.strictObject({
  name,
  permissions: z
    .array(z.enum(permissions))
    .min(1)
    .max(permissions.length * 2),
  expires_at: time.nullable().default(null).meta({ description: "Null or omitted if it never expires." }),
  password: z.string().max(1_024).optional().meta({
    description:
      "With a session: your password. Send this or `confirmation`. An account without a password can also use a session that is no older than ten minutes.",
  }),
  confirmation,
});

const newTokenProblems = [
  "wrong_password",
  "invalid_confirmation",
  "recent_sign_in_required",
  "too_many_attempts",
  "sign_in_busy",
  "session_expired",
  "invalid_access_token",
  "permissions_exceeded",
  "access_token_limit_reached",
] as const;

const limits =
  "The users concerned are notified by email. You cannot grant permissions that you do not have yourself, and a token cannot create one that expires later than itself.";

export const listMyAccessTokens = route({
  id: "listMyAccessTokens",
  method: "GET",
  path: "/me/access-tokens",
  summary: "List your access tokens",
  group,
  access: person("full"),
  query: pageQuery,
  answer: page(accessToken),
});

export const createMyAccessToken = route({
  id: "createMyAccessToken",
  method: "POST",
  path: "/me/access-tokens",
  summary: "Create an access token that acts for you",
  description: `It works in every organization you belong to, within the permissions of your role. ${limits}`,
  group,
  access: person("full"),
  problems: newTokenProblems,
  body: newToken,
  answer: created,
});

export const revokeMyAccessToken = route({
  id: "revokeMyAccessToken",
  method: "DELETE",
  path: "/me/access-tokens/{token_id}",
  summary: "Revoke one of your access tokens",
  description: "It stops working immediately.",
  group,
  access: person("full"),
  problems: ["access_token_not_found"],
});

export const listOrganizationAccessTokens = route({
  id: "listOrganizationAccessTokens",
  method: "GET",
  path: "/organizations/{organization_id}/access-tokens",
  summary: "List the organization's access tokens",
  group,
  access: member("organization:manage"),
  query: pageQuery,
  answer: page(accessToken),
});

export const createOrganizationAccessToken = route({
  id: "createOrganizationAccessToken",
  method: "POST",
  path: "/organizations/{organization_id}/access-tokens",
  summary: "Create an access token for the organization",
  description: `It belongs to no user and keeps working when its creator leaves. ${limits}`,
  group,
  access: member("organization:manage"),
  problems: newTokenProblems,
  body: newToken,
  answer: created,
});

export const revokeOrganizationAccessToken = route({
  id: "revokeOrganizationAccessToken",
  whileUnpaid: true,
  method: "DELETE",
  path: "/organizations/{organization_id}/access-tokens/{token_id}",
  summary: "Revoke an access token of the organization",
  description: "It stops working immediately.",
  group,
  access: member("organization:manage"),
  problems: ["access_token_not_found", "outranked"],
});
