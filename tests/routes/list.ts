import { nothing, pathParameters, type Route } from "@countersign/contract/api/route";
import { z } from "zod";
import { manageRoutes, portalRoutes } from "../../apps/server/threads/routes.ts";
import { memberNames } from "../support/odd-input.ts";

/** A route with its name in the output of tests. */
export type NamedRoute = readonly [name: string, route: Route];

export const manageRouteList: readonly Route[] = manageRoutes.map(({ route }) => route);
export const portalRouteList: readonly Route[] = portalRoutes.map(({ route }) => route);

export const named: readonly NamedRoute[] = manageRouteList.map(withName);
export const portalNamed: readonly NamedRoute[] = portalRouteList.map(withName);

/** Those that anyone may call need no proof of who calls. */
export const guarded = named.filter(([, route]) => route.access.who !== "anyone");
export const portalGuarded = portalNamed.filter(([, route]) => route.access.who !== "anyone");

function withName(route: Route): NamedRoute {
  return [`${route.method} ${route.path}`, route];
}

/** Whether a route is inside an organization: for members and owners. */
export function isInside({ access: { who } }: Route): boolean {
  return who === "member" || who === "owner";
}

export function takesJson(route: Route): boolean {
  return route.bodyTypes === undefined && (route.body as z.ZodType) !== nothing;
}

export function hasParameters({ path }: Route): boolean {
  return pathParameters(path).length > 0;
}

/** The schema of a body or query as JSON Schema. */
export function inputSchema(schema: z.ZodType): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
}

/** The members of an object schema, or of all its variants. */
export function membersOf(schema: z.ZodType): string[] {
  return schema === nothing ? [] : memberNames(inputSchema(schema));
}

let lastIp = 0;

/** A new IP address for each request, because a single one would be rate limited. */
export function nextIp(): string {
  lastIp += 1;
  return `198.${18 + ((lastIp >> 16) & 1)}.${(lastIp >> 8) & 255}.${lastIp & 255}`;
}
