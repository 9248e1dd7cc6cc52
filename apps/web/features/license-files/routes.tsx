import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { organizationRoute } from "../../app/base-routes.tsx";

const word = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);

const importRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: "/licenses/import",
  /** An import belongs to a product, so showing one requires both. */
  validateSearch: (search: Record<string, unknown>): ImportSearch => ({
    product_id: word(search.product_id),
    import_id: word(search.import_id),
  }),
  component: lazyRouteComponent(() => import("./import-page.tsx"), "ImportPage"),
});

interface ImportSearch {
  product_id?: string | undefined;
  import_id?: string | undefined;
}

export const licenseFileRoutes = [importRoute] as const;
