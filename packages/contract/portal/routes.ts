import type { Route } from "../api/route.ts";
import * as licenses from "./licenses.ts";
import * as me from "./me.ts";
import * as signIn from "./sign-in.ts";

/** Every route of the customer portal's API. */
export const portalRoutes: readonly Route[] = [signIn, me, licenses].flatMap((module) =>
  Object.values(module).filter(isRoute),
);

/** Every module's exports in one type, for the portal's pages, which call a route by its ID. */
export type PortalContract = typeof signIn & typeof me & typeof licenses;

function isRoute(value: unknown): value is Route {
  return typeof value === "object" && value !== null && "method" in value && "path" in value;
}
