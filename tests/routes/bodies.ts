import type { Route } from "@countersign/contract/api/route";
import type { Permission } from "@countersign/domain/members/permissions";
import { z } from "zod";
import type { FilledOrganization } from "../support/filled-organization.ts";
import { namesIn } from "../support/matrix-paths.ts";
import { inputSchema, takesJson } from "./list.ts";

type IdOf = (parameter: string) => string | undefined;

/**
 * Valid bodies for routes that require one and name a second resource in their path or body. `idOf` returns an ID of
 * the caller's organization.
 */
const bodies: Readonly<Record<string, (idOf: IdOf) => object>> = {
  updateMember: (idOf) => ({ role_id: idOf("role_id") }),
  updateVersion: () => ({ state: "blocked" }),
  addCustomerIpBlock: () => ({ cidr: "192.0.2.1" }),
  eraseCustomer: () => ({ licenses: 0 }),
  createWebhook: () => ({ url: "https://hooks.example.invalid/countersign" }),
  createInvitation: (idOf) => ({ email: "grace@example.com", role_id: idOf("role_id") }),
  transferOwnership: (idOf) => ({ user_id: idOf("user_id"), role_id: idOf("role_id") }),
};

/** Bodies that name a resource in a nested member, by the route and the path of that member. */
const deepBodies: Readonly<Record<string, (id: string) => object>> = {
  "bulkLicenses selection.ids": (id) => ({ action: "delete", selection: { ids: [id] } }),
};

export function bodyFor(route: Route, organization: FilledOrganization): object | null {
  if (!takesJson(route)) return null;
  const body = bodies[route.id]?.((name) => organization.idFor(name, route.path)) ?? {};
  const isNeeded = namesIn(route.path) > 1 || idMembers(route).some((member) => !member.includes("."));
  return isNeeded ? checked(route, body) : body;
}

const bulkActions: readonly [action: string, permission: Permission, rest: object][] = [
  ["revoke", "licenses:revoke", {}],
  ["reinstate", "licenses:revoke", {}],
  ["delete", "licenses:delete", {}],
  ["reset_ips", "licenses:reset_ips", {}],
  ["extend", "licenses:update", { extend_by_seconds: 60 }],
  ["set_expiry", "licenses:update", { expires_at: null }],
  ["set_max_ips", "licenses:update", { max_ips: 5 }],
  ["add_tags", "licenses:update", { tags: ["x"] }],
  ["remove_tags", "licenses:update", { tags: ["x"] }],
];

interface FurtherPermission {
  readonly permission: Permission;
  readonly body: (idOf: IdOf) => object;
}

/** The permission that a route's body requires in addition to the route's own. */
export const furtherPermissions: Readonly<Record<string, readonly FurtherPermission[]>> = {
  bulkLicenses: bulkActions.map(([action, permission, rest]) => ({
    permission,
    body: (idOf) => ({ action, selection: { ids: [idOf("license_id")] }, ...rest }),
  })),
};

/** The actions of a body that is a union. */
export function actionsOf(route: Route): string[] {
  if (!takesJson(route)) return [];
  const { oneOf = [], anyOf = [] } = inputSchema(route.body);
  return [...oneOf, ...anyOf].flatMap(({ properties }) => {
    const action = properties?.action;
    return typeof action === "object" && typeof action.const === "string" ? [action.const] : [];
  });
}

/** A body of the caller's organization, in which one member names another resource. */
export function bodyNaming(
  route: Route,
  organization: FilledOrganization,
  member: string,
  elsewhere: IdOf,
): { body: object; id: string } {
  const id = elsewhere(parameterOf(route, member));
  if (id === undefined)
    throw new Error(
      `The body of ${route.id} has a member ${member} that the access matrix does not know. ` +
        "Make such a thing in fillOrganization in tests/support/filled-organization.ts and return it from idFor.",
    );
  const named = { [member]: member.endsWith("s") ? [id] : id };
  const deep = deepBodies[`${route.id} ${member}`]?.(id);
  return { body: checked(route, deep ?? { ...bodyFor(route, organization), ...named }), id };
}

/** `role_id` and `role_ids` name a role. A bare `ids` names what the path ends with: /licenses/bulk. */
function parameterOf(route: Route, member: string): string {
  const name = member.slice(member.lastIndexOf(".") + 1);
  if (name !== "ids") return name.replace(/_ids$/, "_id");
  return `${route.path.split("/").at(-2)?.replace(/s$/, "")}_id`;
}

/** IDs that Countersign does not assign. */
const outside = new Set(["discord_id", "device_id", "customer_discord_id"]);

/** Filters only narrow a list of the caller's organization. */
const harmless = /^bulkLicenses selection\.filter\.(product|customer)_id$/;

/** The members of a route's JSON body that name a resource by ID, by their paths. */
export function idMembers(route: Route): string[] {
  if (!takesJson(route)) return [];
  const found = new Set<string>();
  const walk = (schema: z.core.JSONSchema.BaseSchema, path: string) => {
    for (const one of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])])
      walk(one, path);
    if (typeof schema.items === "object" && !Array.isArray(schema.items)) walk(schema.items, path);
    for (const [name, member] of Object.entries(schema.properties ?? {})) {
      if (/^ids$|_ids?$/.test(name) && !outside.has(name)) found.add(path + name);
      if (typeof member === "object") walk(member, `${path}${name}.`);
    }
  };
  walk(inputSchema(route.body), "");
  return [...found].filter((member) => !harmless.test(`${route.id} ${member}`));
}

function checked(route: Route, body: object): object {
  const { error } = route.body.safeParse(body);
  if (error === undefined) return body;
  throw new Error(
    `${route.id} needs a body to be tried with: add one to the tables in tests/routes/bodies.ts.\n${z.prettifyError(error)}`,
  );
}
