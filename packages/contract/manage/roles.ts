import { permissions } from "@countersign/domain/members/permissions";
import { z } from "zod";
import { member, person, route } from "../api/route.ts";
import { id, name, page, pageQuery, time, updatedAtGuard } from "../api/shapes.ts";

const group = "Roles";

export const permissionCodes = z.array(z.enum(permissions)).max(permissions.length);

export const role = z
  .object({
    id,
    name: z.string(),
    permissions: permissionCodes,
    member_count: z.int().meta({ description: "The number of members with this role." }),
    invitation_count: z.int().meta({ description: "The number of pending invitations with this role." }),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: "Role" });

export const listPermissions = route({
  id: "listPermissions",
  method: "GET",
  path: "/permissions",
  summary: "List all permissions",
  group,
  access: person("any"),
  answer: z.object({
    data: z.array(z.object({ code: z.enum(permissions), description: z.string() })),
  }),
});

export const listRoles = route({
  id: "listRoles",
  method: "GET",
  path: "/organizations/{organization_id}/roles",
  summary: "List roles",
  group,
  access: member("members:view", "roles:edit", "members:invite"),
  query: pageQuery,
  answer: page(role),
});

export const createRole = route({
  id: "createRole",
  method: "POST",
  path: "/organizations/{organization_id}/roles",
  summary: "Create a role",
  description: "It cannot have permissions that you do not have.",
  group,
  access: member("roles:edit"),
  problems: ["permissions_exceeded", "role_name_taken"],
  body: z.strictObject({ name, permissions: permissionCodes }),
  answer: role,
});

export const getRole = route({
  id: "getRole",
  method: "GET",
  path: "/organizations/{organization_id}/roles/{role_id}",
  summary: "Get a role",
  group,
  access: member("members:view", "roles:edit", "members:invite"),
  problems: ["role_not_found"],
  answer: role,
});

export const updateRole = route({
  id: "updateRole",
  method: "PATCH",
  path: "/organizations/{organization_id}/roles/{role_id}",
  summary: "Update a role",
  description:
    "Takes effect with the next request of its members. Neither before nor after the change can it have permissions that you do not have.",
  group,
  access: member("roles:edit"),
  problems: ["role_not_found", "outranked", "permissions_exceeded", "role_name_taken"],
  body: z.strictObject({
    name: name.optional(),
    permissions: permissionCodes.optional(),
    ...updatedAtGuard,
  }),
  answer: role,
});

export const deleteRole = route({
  id: "deleteRole",
  method: "DELETE",
  path: "/organizations/{organization_id}/roles/{role_id}",
  summary: "Delete a role",
  description:
    "Refused while members or pending invitations have this role. Its other invitations are deleted with it.",
  group,
  access: member("roles:edit"),
  problems: ["role_not_found", "outranked", "role_in_use"],
});
