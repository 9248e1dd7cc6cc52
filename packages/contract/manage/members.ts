import { z } from "zod";
import { permissionCodes } from "./roles.ts";
import { member as memberWho, route } from "./route.ts";
import { id, page, pageQuery, time, updatedAtGuard } from "./shapes.ts";

const group = "Members";

export const member = z
  .object({
    user_id: id,
    name: z.string(),
    email: z.string(),
    is_owner: z.boolean(),
    role: z
      .object({ id, name: z.string(), permissions: permissionCodes })
      .nullable()
      .meta({ description: "Null for the owner, who may do everything." }),
    joined_at: time,
    updated_at: time,
  })
  .meta({ id: "Member" });

export const listMembers = route({
  id: "listMembers",
  method: "GET",
  path: "/organizations/{organization_id}/members",
  summary: "List the owner and the members",
  group,
  access: memberWho("members:view", "roles:edit", "members:remove"),
  query: pageQuery,
  answer: page(member),
});

export const updateMember = route({
  id: "updateMember",
  method: "PATCH",
  path: "/organizations/{organization_id}/members/{user_id}",
  summary: "Give a member another role",
  description: "Neither the role they have nor the one they get can allow more than you may do yourself.",
  group,
  access: memberWho("roles:edit"),
  problems: ["member_not_found", "owner_has_no_role", "outranked", "permissions_exceeded"],
  body: z.strictObject({ role_id: id, ...updatedAtGuard }),
  answer: member,
});

export const removeMember = route({
  id: "removeMember",
  method: "DELETE",
  path: "/organizations/{organization_id}/members/{user_id}",
  summary: "Remove a member, or leave",
  description:
    "Everybody may remove themselves, except the owner. Removing somebody else needs members:remove, and their role can allow no more than you may do yourself.",
  group,
  access: memberWho(null),
  problems: ["permission_missing", "member_not_found", "owner_cannot_leave", "outranked"],
});
