import { permissions } from "@countersign/domain/members/permissions";
import { z } from "zod";
import { confirmation } from "../auth/shapes.ts";
import { member, person, route } from "./route.ts";
import { secret } from "./secrets.ts";
import { id, name, page, pageQuery, time } from "./shapes.ts";

const group = "Access tokens";

export const accessToken = z
  .object({
    id,
    name: z.string(),
    prefix: z.string().meta({ description: "How it begins, to tell it from others." }),
    permissions: z.array(z.enum(permissions)),
    created_at: time,
    created_by: id.nullable().meta({ description: "The person who made it; null if a token did." }),
    expires_at: time.nullable().meta({ description: "Null for never." }),
    last_used_at: time.nullable().meta({ description: "To the minute." }),
  })
  .meta({ id: "AccessToken" });

const created = accessToken
  .extend({
    token: secret("In full, in this answer alone.", "Revoke the access token and create a new one."),
  })
  .meta({ id: "CreatedAccessToken" });

const newToken = z.strictObject({
  name,
  permissions: z
    .array(z.enum(permissions))
    .min(1)
    .max(permissions.length * 2),
  expires_at: time.nullable().default(null).meta({ description: "Null, or left out, for never." }),
  password: z.string().max(1_024).optional().meta({
    description:
      "Your password, or else `confirmation`, with a session. An account without a password can also use a session that is no older than ten minutes; an access token needs none of them.",
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
  "The people whom it concerns are told by email. Nobody can give a token what they may not do themselves, and a token cannot make one that lasts longer than itself.";

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
  description: `It works in every organization you belong to, within your role there. ${limits}`,
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
  description: "It stops working with the next request.",
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
  summary: "Create an access token of the organization",
  description: `It belongs to no person and goes on working when whoever made it leaves. ${limits}`,
  group,
  access: member("organization:manage"),
  problems: newTokenProblems,
  body: newToken,
  answer: created,
});

export const revokeOrganizationAccessToken = route({
  id: "revokeOrganizationAccessToken",
  method: "DELETE",
  path: "/organizations/{organization_id}/access-tokens/{token_id}",
  summary: "Revoke an access token of the organization",
  description: "It stops working with the next request.",
  group,
  access: member("organization:manage"),
  problems: ["access_token_not_found", "outranked"],
});
