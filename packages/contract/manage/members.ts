import { z } from "zod";
import { member as memberWho, route } from "../api/route.ts";
import { id, page, pageQuery, time, updatedAtGuard } from "../api/shapes.ts";
import { permissionCodes } from "./roles.ts";

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
      .meta({ description: "Null for the owner, who has every permission." }),
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
  summary: "Change a member's role",
  description: "Neither the old nor the new role can have permissions that you do not have.",
  group,
  access: memberWho("roles:edit"),
  problems: ["member_not_found", "owner_has_no_role", "outranked", "permissions_exceeded"],
  body: z.strictObject({ role_id: id, ...updatedAtGuard }),
  answer: member,
});

export const removeMember = route({
  id: "removeMember",
  whileUnpaid: true,
  method: "DELETE",
  path: "/organizations/{organization_id}/members/{user_id}",
  summary: "Remove a member or leave",
  description:
    "All members except the owner can remove themselves. Removing someone else requires the permission `members:remove`, and their role cannot have permissions that you do not have.",
  group,
  access: memberWho(null),
  problems: ["permission_missing", "member_not_found", "owner_cannot_leave", "outranked"],
});
