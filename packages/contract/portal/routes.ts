import { type ContractOf, type Route, routesIn } from "../api/route.ts";
import * as licenses from "./licenses.ts";
import * as me from "./me.ts";
import * as signIn from "./sign-in.ts";

const modules = [signIn, me, licenses] as const;

/** Every route of the customer portal's API. */
export const portalRoutes: readonly Route[] = modules.flatMap(routesIn);

/** For the portal's pages, which call a route by its ID. */
export type PortalContract = ContractOf<typeof modules>;
