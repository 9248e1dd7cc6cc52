import { organizationRoutes } from "../../features/organizations/routes.ts";
import { productRoutes } from "../../features/products/routes.ts";
import type { BoundRoute } from "./bind.ts";

/** Every route of the management API. */
export const manageRoutes: readonly BoundRoute[] = [...organizationRoutes, ...productRoutes];
